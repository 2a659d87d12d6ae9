package io.github.lockstarter.demo.report;

import io.github.lockstarter.demo.KebabCase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * What the processes of a report see of each other, in a file that each maps into its memory: no server takes part, and
 * the figures of a killed process remain. Thread-safe.
 */
@SuppressWarnings("EnumOrdinal") // all processes run the same classes
final class SharedFigures {

    /** Set by the command; the instances follow. */
    enum Phase {
        STARTING,
        /** Control: sections without a lock. */
        UNLOCKED,
        LOCKED,
        OVER
    }

    /** A critical section. */
    enum Section {
        /** Control: without a lock. */
        UNPROTECTED,
        SHORT,
        /** Lasts longer than the lease. */
        LONG;

        /** The key of its lock. */
        String lock() {
            return KebabCase.of(this);
        }
    }

    /** Numbers for the report. */
    enum Figure {
        READY,
        GAVE_UP,
        FAILED,
        LOST,
        RENEWED,
        /** Sections whose fencing token was not above the one before. */
        STALE_TOKENS,
        /** Nanoseconds from the kill of an instance to the next owner of its lock. */
        TAKEN_OVER_AFTER
    }

    /** A caller is the number of its instance, times this, plus the number of its thread. */
    static final int CALLERS = 100;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private static final int PHASE = 0;
    private static final int KILLED = 1;
    private static final int KILLED_AT = 2;
    private static final int FIGURES = 8;

    /** Of a section: who is inside, a counter without synchronisation, the last fencing token, and figures. */
    private static final int OWNER = 0;

    private static final int COUNTER = 1;
    private static final int TOKEN = 2;
    private static final int COMPLETED = 3;
    private static final int OVERLAPS = 4;
    private static final int CELLS = 8;
    private static final int SECTIONS = 32;
    private static final int WAITS = 64;

    /** Eight buckets for each power of two. */
    private static final int PRECISION = 3;

    private static final int BUCKETS = 64 << PRECISION;

    private final MappedByteBuffer memory;

    private SharedFigures(MappedByteBuffer memory) {
        this.memory = memory;
    }

    /** Maps the file, which is created if it is missing. */
    static SharedFigures in(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedFigures(
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) (WAITS + BUCKETS) * Long.BYTES));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Phase phase() {
        return Phase.values()[(int) get(PHASE)];
    }

    void begin(Phase phase) {
        set(PHASE, phase.ordinal());
    }

    /** Before it is killed: what it leaves behind is no overlap. */
    void willKill(int instance) {
        set(KILLED_AT, System.nanoTime());
        set(KILLED, instance);
    }

    /** The instance of the caller inside. */
    OptionalInt instanceIn(Section section) {
        long caller = get(cell(section, OWNER));
        return caller == 0 ? OptionalInt.empty() : OptionalInt.of((int) (caller / CALLERS));
    }

    /**
     * Enters, and counts an overlap if another caller is inside.
     *
     * @param fencingToken zero without a lock
     * @return the section's counter, for {@link #leave}
     */
    long enter(Section section, long caller, long fencingToken) {
        long inside = getAndSet(cell(section, OWNER), caller);
        if (inside != 0 && inside / CALLERS == get(KILLED)) {
            if (section == Section.LONG) {
                set(cell(Figure.TAKEN_OVER_AFTER), System.nanoTime() - get(KILLED_AT));
            }
        } else if (inside != 0) {
            add(cell(section, OVERLAPS));
        }
        if (fencingToken > 0 && getAndSet(cell(section, TOKEN), fencingToken) >= fencingToken) {
            count(Figure.STALE_TOKENS);
        }
        return get(cell(section, COUNTER));
    }

    /** Writes the counter plus one, as code does that relies on the lock, and leaves. */
    void leave(Section section, long caller, long counter) {
        set(cell(section, COUNTER), counter + 1);
        add(cell(section, COMPLETED));
        LONGS.compareAndSet(memory, cell(section, OWNER) * Long.BYTES, caller, 0L);
    }

    long completed(Section section) {
        return get(cell(section, COMPLETED));
    }

    long overlaps(Section section) {
        return get(cell(section, OVERLAPS));
    }

    /** Sections whose write was overwritten. */
    long lostUpdates(Section section) {
        return Math.max(0, completed(section) - get(cell(section, COUNTER)));
    }

    void count(Figure figure) {
        add(cell(figure));
    }

    long of(Figure figure) {
        return get(cell(figure));
    }

    void waited(Duration time) {
        long from8 = time.toNanos() / 1_000 + (1 << PRECISION);
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(from8) - PRECISION;
        add(WAITS + (shift << PRECISION) + (int) (from8 >>> shift) - (1 << PRECISION));
    }

    /** The wait that this share of all waits did not exceed, at most an eighth too long. */
    Duration waitOf(double share) {
        long all = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            all += get(WAITS + bucket);
        }
        long left = (long) Math.ceil(all * share);
        int bucket = 0;
        while (bucket < BUCKETS - 1 && (left -= get(WAITS + bucket)) > 0) {
            bucket++;
        }
        int shift = bucket >> PRECISION;
        long from8 = (((bucket & 7) + 9L) << shift) - 1;
        return all == 0 ? Duration.ZERO : Duration.ofNanos((from8 - 8) * 1_000);
    }

    private static int cell(Figure figure) {
        return FIGURES + figure.ordinal();
    }

    private static int cell(Section section, int part) {
        return SECTIONS + section.ordinal() * CELLS + part;
    }

    private long get(int cell) {
        return (long) LONGS.getVolatile(memory, cell * Long.BYTES);
    }

    private void set(int cell, long value) {
        LONGS.setVolatile(memory, cell * Long.BYTES, value);
    }

    private long getAndSet(int cell, long value) {
        return (long) LONGS.getAndSet(memory, cell * Long.BYTES, value);
    }

    private void add(int cell) {
        LONGS.getAndAdd(memory, cell * Long.BYTES, 1L);
    }
}
