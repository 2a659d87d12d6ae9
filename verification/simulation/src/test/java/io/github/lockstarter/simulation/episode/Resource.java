package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.kit.check.FencedWritesCheck;
import io.github.lockstarter.kit.event.EventKind;
import java.util.Map;
import java.util.TreeMap;

/**
 * The resource that the locks protect: a number per lock, which accepts writes only with the highest fencing token that
 * has read it.
 */
final class Resource {

    private static final class Guarded {

        private long fence;
        private long number;
        private long writes;
    }

    private final Map<String, Guarded> numbers = new TreeMap<>();

    /** Registers the fencing token, and reads; -1 if a higher one has read. */
    long open(String key, long token) {
        Guarded guarded = numbers.computeIfAbsent(key, unused -> new Guarded());
        if (token < guarded.fence) {
            return -1;
        }
        guarded.fence = token;
        return guarded.number;
    }

    /** Writes the read number plus one; false if the write was rejected. */
    boolean write(String key, long token, long read) {
        Guarded guarded = numbers.get(key);
        if (guarded == null || guarded.fence != token) {
            return false;
        }
        guarded.number = read + 1;
        guarded.writes++;
        return true;
    }

    /** Writes the numbers at the end into the log. */
    void report(World world) {
        numbers.forEach((key, guarded) -> world.write(world.event(EventKind.RESOURCE, "resource")
                .of(key, 0)
                .between(guarded.number, 0)
                .counting(guarded.writes)
                .noting(FencedWritesCheck.FENCED)));
    }
}
