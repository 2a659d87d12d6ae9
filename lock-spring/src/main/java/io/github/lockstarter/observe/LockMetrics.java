package io.github.lockstarter.observe;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.SkippedCallListener.Outcome;
import io.github.lockstarter.StoreEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of this instance's locks. Store meters follow the store's events, without commands. After {@value
 * #MAX_NAMES} names, further ones share {@value #OTHER}. Thread-safe; blocks only at the first event of a name.
 */
public final class LockMetrics implements LockListener, SkippedCallListener {

    /** Limits the meters of an application that puts keys into names. */
    public static final int MAX_NAMES = 1_000;

    /** Value of the tag for further names. */
    public static final String OTHER = "other";

    private static final Logger log = LoggerFactory.getLogger(LockMetrics.class);

    // Entries are never removed, so all events of a hold use the same meters and no gauge drifts.
    private final ConcurrentMap<String, LockNameMeters> byName = new ConcurrentHashMap<>();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Set<String> unreachable = ConcurrentHashMap.newKeySet();
    private final Set<String> recovering = ConcurrentHashMap.newKeySet();
    private final MeterRegistry registry;
    private final LongestTimes longest;

    /**
     * The meters of a name appear with its first event.
     *
     * @param registry has the meters
     * @param locks of all stores; called when a gauge is read
     */
    public LockMetrics(MeterRegistry registry, Supplier<? extends Collection<LockAdmin>> locks) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.longest = new LongestTimes(locks, name -> byName.containsKey(name) ? name : OTHER, System::nanoTime);
        LockMeter.STORE_UP.gauge(registry, Tags.empty(), unreachable, stores -> stores.isEmpty() ? 1 : 0);
        LockMeter.RECOVERING.gauge(registry, Tags.empty(), recovering, stores -> stores.isEmpty() ? 0 : 1);
    }

    /**
     * Counts dropped events. Keep the result: the registry refers to the counters only weakly.
     *
     * @param dropped by listener class
     * @return registers the counters
     */
    public static MeterBinder ofListeners(Supplier<Map<String, LongSupplier>> dropped) {
        return registry -> dropped.get()
                .forEach((listener, count) -> LockMeter.DROPPED.counter(
                        registry, Tags.of("listener", listener), dropped, any -> count.getAsLong()));
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        if (event.scope() == StoreEvent.Scope.VOTE) {
            return; // grants and leases do not depend on it
        }
        if (event instanceof StoreEvent.Unreachable) {
            unreachable.add(event.store());
        } else if (event instanceof StoreEvent.Reachable) {
            unreachable.remove(event.store());
        } else if (event instanceof StoreEvent.RecoveryStarted) {
            recovering.add(event.store());
        } else {
            recovering.remove(event.store());
        }
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {
        LockNameMeters meters = metersOf(event.name());
        if (event instanceof LockEvent.Acquired acquired) {
            acquired(meters, acquired);
        } else if (event instanceof LockEvent.Joined joined) {
            answered(meters, meters.acquired, joined.waited(), joined.queued());
        } else if (event instanceof LockEvent.Released released) {
            if (released.outcome() != ReleaseOutcome.LOST) { // a loss is counted by its own event
                ended(meters, released.held());
            }
        } else if (event instanceof LockEvent.Contended) {
            meters.waiting.incrementAndGet();
        } else if (event instanceof LockEvent.NotAcquired refused) {
            answered(meters, meters.refused(refused.refusal()), refused.waited(), refused.queued());
        } else if (event instanceof LockEvent.Renewed renewed) {
            meters.count(renewed.outcome());
        } else if (event instanceof LockEvent.Lost lost) {
            meters.count(lost.cause());
            ended(meters, lost.held());
        } else if (event instanceof LockEvent.InDoubt) {
            meters.doubts.increment();
        } else if (event instanceof LockEvent.Confirmed confirmed) {
            meters.confirmed.record(confirmed.inDoubtFor());
        } else if (event instanceof LockEvent.HeldLong) {
            meters.longHolds.increment();
        } else if (event instanceof LockEvent.Abandoned abandoned
                && abandoned.abandonment() == LockEvent.Abandonment.KEPT) {
            meters.abandoned.increment();
        }
    }

    private static void acquired(LockNameMeters meters, LockEvent.Acquired event) {
        meters.acquired.record(event.waited());
        meters.held.incrementAndGet();
        if (event.path() != LockEvent.Path.UNCONTENDED) {
            meters.waiting.decrementAndGet();
        }
        meters.count(event.path());
    }

    private static void answered(LockNameMeters meters, Timer calls, Duration waited, boolean queued) {
        calls.record(waited);
        if (queued) {
            meters.waiting.decrementAndGet();
        }
    }

    @Override
    public void skipped(String name, Outcome outcome) {
        metersOf(name).count(outcome);
    }

    private static void ended(LockNameMeters meters, Duration held) {
        meters.hold.record(held);
        meters.held.decrementAndGet();
    }

    private LockNameMeters metersOf(String name) {
        LockNameMeters known = byName.get(name);
        if (known != null) {
            return known;
        }
        if (byName.size() < MAX_NAMES) {
            return byName.computeIfAbsent(name, this::register);
        }
        if (warned.compareAndSet(false, true)) {
            log.warn(
                    "More than {} lock names; '{}' and further ones are counted as '{}'. Give LockRequest.named(...) "
                            + "and @DistributedLock(name) a name with few values and put what varies into the key",
                    MAX_NAMES,
                    name,
                    OTHER);
        }
        return byName.computeIfAbsent(OTHER, this::register);
    }

    private LockNameMeters register(String name) {
        return new LockNameMeters(registry, name, longest);
    }

    /**
     * The meters of one lock name, registered together: an event that never happened reads zero instead of missing.
     * Thread-safe; {@link #held} and {@link #waiting} live as long as this object.
     */
    private static final class LockNameMeters {

        final Timer acquired;
        final Timer hold;
        final AtomicInteger held = new AtomicInteger();
        final AtomicInteger waiting = new AtomicInteger();
        final Counter longHolds;
        final Counter abandoned;
        final Counter doubts;
        final Timer confirmed;
        private final Map<Refusal, Timer> refused = new EnumMap<>(Refusal.class);
        private final Map<Enum<?>, Counter> counters = new HashMap<>();

        LockNameMeters(MeterRegistry registry, String name, LongestTimes longest) {
            Tags tags = Tags.of("name", name);
            acquired = LockMeter.ACQUIRE.timer(registry, tags.and("outcome", "acquired"));
            for (Refusal refusal : Refusal.values()) {
                refused.put(refusal, LockMeter.ACQUIRE.timer(registry, tags.and("outcome", lowerCase(refusal))));
            }
            hold = LockMeter.HOLD.timer(registry, tags);
            LockMeter.HELD.gauge(registry, tags, held, AtomicInteger::get);
            LockMeter.WAITING.gauge(registry, tags, waiting, AtomicInteger::get);
            LockMeter.HELD_LONGEST.timeGauge(registry, tags, longest, times -> times.held(name));
            LockMeter.WAITING_LONGEST.timeGauge(registry, tags, longest, times -> times.waiting(name));
            longHolds = LockMeter.LONG_HOLDS.counter(registry, tags);
            abandoned = LockMeter.ABANDONED.counter(registry, tags);
            for (LossCause cause : LossCause.values()) {
                counters.put(cause, LockMeter.LOST.counter(registry, tags.and("cause", lowerCase(cause))));
            }
            for (RenewalOutcome outcome : RenewalOutcome.values()) {
                counters.put(outcome, LockMeter.RENEWALS.counter(registry, tags.and("outcome", lowerCase(outcome))));
            }
            counters.put(Path.HANDED_OVER, LockMeter.HANDOVERS.counter(registry, tags));
            counters.put(Path.TAKEN_OVER, LockMeter.TAKEOVERS.counter(registry, tags));
            doubts = LockMeter.DOUBTS.counter(registry, tags);
            confirmed = LockMeter.CONFIRMED.timer(registry, tags);
            counters.put(Outcome.EMPTY_RESULT, LockMeter.SKIPPED.counter(registry, tags.and("how", "skipped")));
            counters.put(Outcome.FALLBACK, LockMeter.SKIPPED.counter(registry, tags.and("how", "fallback")));
        }

        Timer refused(Refusal refusal) {
            return Objects.requireNonNull(refused.get(refusal), "every refusal has a timer");
        }

        /** By loss cause, outcome or path. */
        void count(Enum<?> event) {
            Counter counter = counters.get(event);
            if (counter != null) {
                counter.increment();
            }
        }

        private static String lowerCase(Enum<?> value) {
            return value.name().toLowerCase(Locale.ROOT);
        }
    }
}
