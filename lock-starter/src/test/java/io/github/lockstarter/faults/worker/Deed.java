package io.github.lockstarter.faults.worker;

import java.time.Duration;
import java.util.SplittableRandom;

/** The ways in which a worker's thread uses a lock, and how often in a hundred. */
enum Deed {
    /** Waits, works a moment, releases. */
    BLOCK(45),
    /** Makes one attempt. */
    TRY(10),
    /** Acquires without blocking; another thread works and releases. */
    ASYNC(10),
    /** Acquires again while it holds. */
    NEST(5),
    /** Without renewal, but extends its lease once. */
    EXTEND(5),
    /** Is interrupted at some moment of its wait. */
    INTERRUPT(4),
    /** Gives a future up at some moment of its wait. */
    CANCEL(4),
    /** Like {@link #BLOCK}, on a key that hardly anybody else wants. */
    COLD(12),
    /** Holds for longer than a lease; the watchdog renews. */
    LONG(3),
    /** Holds for longer than its lease without renewal, and is told of the loss. */
    OVERSTAY(2);

    private static final int SUM = 100;

    private final int weight;

    Deed(int weight) {
        this.weight = weight;
    }

    static Deed draw(SplittableRandom random) {
        int lot = random.nextInt(SUM);
        for (Deed deed : values()) {
            lot -= deed.weight;
            if (lot < 0) {
                return deed;
            }
        }
        return BLOCK;
    }

    /** A key that the deed does not spoil for everybody: those that hold for long have keys of their own. */
    String key(SplittableRandom random, WorkerOptions.Load load) {
        return switch (this) {
            case COLD -> "cold:" + random.nextInt(load.coldKeys());
            case LONG -> "long:" + random.nextInt(load.hotKeys());
            case OVERSTAY -> "overstay:" + random.nextInt(load.hotKeys());
            default -> "hot:" + random.nextInt(load.hotKeys());
        };
    }

    Duration wait(SplittableRandom random) {
        return this == TRY ? Duration.ZERO : Duration.ofMillis(50 + random.nextInt(1500));
    }

    Duration dwell(SplittableRandom random, Duration lease) {
        return switch (this) {
            case LONG -> lease.plusMillis(random.nextInt((int) lease.toMillis()));
            case OVERSTAY -> lease.dividedBy(2);
            default -> Duration.ofNanos(random.nextInt(20) == 0 ? random.nextInt(15_000_000) : random.nextInt(500_000));
        };
    }
}
