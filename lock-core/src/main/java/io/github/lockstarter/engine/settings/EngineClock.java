package io.github.lockstarter.engine.settings;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The engine's two clocks. Everything is measured on the monotonic one; the wall clock only reveals that the machine
 * was suspended, during which the monotonic clock may stand still.
 *
 * @param monotonicNanos as {@link System#nanoTime()}
 * @param wall the wall clock
 */
public record EngineClock(LongSupplier monotonicNanos, InstantSource wall) {

    /** The clocks of this machine. */
    public static final EngineClock SYSTEM = new EngineClock(System::nanoTime, InstantSource.system());

    /**
     * Reads the monotonic clock.
     *
     * @return nanoseconds since some origin
     */
    public long nanos() {
        return monotonicNanos.getAsLong();
    }

    /**
     * Reads the wall clock.
     *
     * @return milliseconds since the epoch
     */
    public long wallMillis() {
        return wall.millis();
    }
}
