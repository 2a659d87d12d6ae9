package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.kit.event.EventKind;
import java.time.Duration;
import java.util.SplittableRandom;

/** The ways in which a worker's thread uses a lock, and how often in a thousand. */
enum Deed {
    /** Waits, works a moment, releases. */
    BLOCK(130),
    /** On a key that only this instance's threads want: handed over without a command. Usually without work. */
    LOCAL(480),
    /** Reads beside others a value that writers change. As {@link #LOCAL} if the store has no locks for readers. */
    READ(56),
    /** Writes what others read. */
    WRITE(14),
    /** Writes what others read, and goes on reading. */
    DOWNGRADE(10),
    /** As {@link #BLOCK}, for one of several permits; callers request different numbers. */
    PERMIT(30),
    /** As {@link #BLOCK}, on a key that is rarely contended. */
    COLD(80),
    /**
     * Makes one attempt, half of them on locks that are held for long: if the store forgot such a lock, it grants it.
     */
    TRY(50),
    /** Acquires without blocking; another thread works and releases. */
    ASYNC(60),
    /** Acquires again while it holds. */
    NEST(40),
    /** Without renewal, but extends its lease once. */
    EXTEND(30),
    /** Is interrupted at some moment of its wait. */
    INTERRUPT(8),
    /** Gives a future up at some moment of its wait. */
    CANCEL(8),
    /** Holds for longer than a lease; the watchdog renews. */
    LONG(2),
    /** Holds for longer than its lease without renewal, and is notified of the loss. */
    OVERSTAY(2);

    private static final int SUM = 1000;
    private static final int LONG_KEYS = 6;

    /** Has a character that the oldest JDK does not know. */
    private static final String HOT = "hot:\uD83E\uDEE0";

    private static final String PERMITS = "permit:";
    private static final int PERMIT_KEYS = 2;
    private static final int MOST_PERMITS = 3;
    private static final int READ_KEYS = 2;

    private final int weight;

    Deed(int weight) {
        this.weight = weight;
    }

    static Deed draw(SplittableRandom random, boolean hasReaders) {
        int lot = random.nextInt(SUM);
        for (Deed deed : values()) {
            lot -= deed.weight;
            if (lot < 0) {
                return deed.isOfReaders() && !hasReaders ? LOCAL : deed;
            }
        }
        return BLOCK;
    }

    private boolean isOfReaders() {
        return this == READ || this == WRITE || this == DOWNGRADE;
    }

    /** Half of the long holds are read, where the store has readers. */
    LockMode mode(SplittableRandom random) {
        boolean reads = this == READ || ((this == LONG || this == OVERSTAY) && random.nextBoolean());
        return reads ? LockMode.READ : LockMode.WRITE;
    }

    /** A key on which this deed does not disturb the others: long holds have separate keys. */
    String key(SplittableRandom random, WorkerOptions options) {
        WorkerOptions.Load load = options.load();
        return switch (this) {
            case LOCAL -> "local:" + options.instance();
            case READ, WRITE, DOWNGRADE -> "read:" + random.nextInt(READ_KEYS);
            case PERMIT -> PERMITS + random.nextInt(PERMIT_KEYS);
            case COLD -> "cold:" + random.nextInt(load.coldKeys());
            case LONG -> longKey(random);
            case TRY -> random.nextBoolean() ? longKey(random) : HOT + random.nextInt(load.hotKeys());
            case OVERSTAY -> "overstay:" + random.nextInt(LONG_KEYS);
            default -> HOT + random.nextInt(load.hotKeys());
        };
    }

    /** Requested number of permits, as while a limit is changed. */
    int permits(SplittableRandom random) {
        return this != PERMIT ? 1 : random.nextInt(3) > 0 ? MOST_PERMITS : random.nextInt(1, MOST_PERMITS + 1);
    }

    /** Logs the permits of each lock for the checks. */
    static void describePermits(Journal journal) {
        for (int i = 0; i < PERMIT_KEYS; i++) {
            journal.write(journal.event(EventKind.PERMITS).of(PERMITS + i, 0).counting(MOST_PERMITS));
        }
    }

    private static String longKey(SplittableRandom random) {
        return "long:" + random.nextInt(LONG_KEYS);
    }

    /** Whether the resource is read and written. */
    boolean works(SplittableRandom random) {
        return this != LOCAL || random.nextInt(4) == 0;
    }

    Duration wait(SplittableRandom random) {
        return this == TRY ? Duration.ZERO : Duration.ofMillis(50 + random.nextInt(1500));
    }

    Duration dwell(SplittableRandom random, Duration lease) {
        return switch (this) {
            case READ -> Duration.ofNanos(random.nextInt(20_000_000));
            case PERMIT -> Duration.ofNanos(random.nextInt(40_000_000));
            case LONG -> lease.plusMillis(random.nextInt((int) lease.toMillis()));
            case OVERSTAY -> lease.dividedBy(2);
            default -> Duration.ofNanos(random.nextInt(50) == 0 ? random.nextInt(15_000_000) : random.nextInt(200_000));
        };
    }
}
