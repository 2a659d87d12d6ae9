package io.github.lockstarter.engine.settings;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The engine's clocks. All times are measured on the monotonic one; the wall clock only reveals a suspended machine, on
 * which the monotonic clock may stand still.
 *
 * @param monotonicNanos as {@link System#nanoTime()}
 * @param wall wall clock
 */
public record EngineClock(LongSupplier monotonicNanos, InstantSource wall) {

    /** The clocks of this machine. */
    public static final EngineClock SYSTEM = new EngineClock(System::nanoTime, InstantSource.system());

    /** {@return the monotonic time in nanoseconds} */
    public long nanos() {
        return monotonicNanos.getAsLong();
    }

    /** {@return the wall time in milliseconds since the epoch} */
    public long wallMillis() {
        return wall.millis();
    }
}
