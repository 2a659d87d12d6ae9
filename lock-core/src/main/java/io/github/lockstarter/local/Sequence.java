package io.github.lockstarter.local;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Strictly growing numbers, for fencing tokens and for places in a queue. Being at least the time in microseconds, they
 * also grow across restarts of the JVM. Thread-safe.
 */
final class Sequence {

    private final AtomicLong last = new AtomicLong();
    private final InstantSource wall;

    Sequence(InstantSource wall) {
        this.wall = wall;
    }

    long next() {
        return nextAbove(0, 1);
    }

    /** The first of so many numbers in a row. */
    long nextAbove(long floor, int many) {
        long candidate = Math.max(micros(wall.instant()), floor + 1);
        while (true) {
            long previous = last.get();
            long first = Math.max(previous + 1, candidate);
            if (last.compareAndSet(previous, first + many - 1)) {
                return first;
            }
        }
    }

    /** Lets every later number be greater than this one. */
    void pass(long number) {
        last.accumulateAndGet(number, Math::max);
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }
}
