package io.github.lockstarter.observe.meter;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts the events that lock listeners missed: {@code distributed.lock.events.dropped}, tagged by the class of the
 * listener. A registry keeps this object weakly: the code that binds it keeps a reference.
 */
public final class ListenerMeters implements MeterBinder {

    private final Supplier<Map<String, LongSupplier>> dropped;

    /**
     * Asks for nothing yet.
     *
     * @param dropped how many events were dropped so far, by the class of the listener; asked when the meters are bound
     */
    public ListenerMeters(Supplier<Map<String, LongSupplier>> dropped) {
        this.dropped = Objects.requireNonNull(dropped, "dropped");
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        dropped.get().forEach((listener, count) -> FunctionCounter.builder(
                        LockMeter.DROPPED.getName(), this, meters -> count.getAsLong())
                .description(LockMeter.DROPPED.description())
                .tag(LockMeter.Tag.LISTENER.asString(), listener)
                .register(registry));
    }
}
