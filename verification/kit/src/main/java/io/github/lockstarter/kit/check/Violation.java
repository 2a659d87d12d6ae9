package io.github.lockstarter.kit.check;

import java.util.List;

/**
 * Something that must not be.
 *
 * @param invariant such as {@code I1}
 * @param key the lock's key; empty if it is about no lock
 * @param at when, as nanoTime
 * @param what what is wrong, with numbers
 * @param holds those that show it
 */
public record Violation(String invariant, String key, long at, String what, List<Hold> holds) {

    /**
     * A violation.
     *
     * @param invariant such as {@code I1}
     * @param key the lock's key
     * @param at when
     * @param what what is wrong
     * @param holds those that show it
     */
    public Violation {
        holds = List.copyOf(holds);
    }

    static Violation of(String invariant, String key, long at, String what, Hold... holds) {
        return new Violation(invariant, key, at, what, List.of(holds));
    }
}
