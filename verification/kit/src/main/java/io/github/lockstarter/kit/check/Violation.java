package io.github.lockstarter.kit.check;

import java.util.List;

/**
 * A violation of an invariant.
 *
 * @param invariant such as {@code I1}
 * @param key empty if no lock is concerned
 * @param at nanoTime
 * @param description with numbers
 * @param holds the holds concerned
 */
public record Violation(String invariant, String key, long at, String description, List<LoggedHold> holds) {

    public Violation {
        holds = List.copyOf(holds);
    }

    static Violation of(String invariant, String key, long at, String description, LoggedHold... holds) {
        return new Violation(invariant, key, at, description, List.of(holds));
    }
}
