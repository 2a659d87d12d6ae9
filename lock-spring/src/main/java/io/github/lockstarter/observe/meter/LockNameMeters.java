package io.github.lockstarter.observe.meter;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.leader.LeaderLocks;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of one logical lock name, all registered at once, so that a series that never happened reads zero instead
 * of missing. Thread-safe; the gauges read {@link #held} and {@link #waiting}, which live as long as this object.
 */
final class LockNameMeters {

    final Timer acquired;
    final Timer hold;
    final AtomicInteger held = new AtomicInteger();
    final AtomicInteger waiting = new AtomicInteger();
    final Counter handovers;
    final Counter takeovers;
    final Counter doubts;
    final Timer confirmed;
    final Counter skipped;
    final Counter fallbacks;
    private final Map<LossCause, Counter> lost = new EnumMap<>(LossCause.class);
    private final Map<Refusal, Timer> refused = new EnumMap<>(Refusal.class);
    private final Map<RenewalOutcome, Counter> renewals = new EnumMap<>(RenewalOutcome.class);

    LockNameMeters(MeterRegistry registry, String name) {
        Tags tags = Tags.of("name", name);
        acquired = timer(registry, LockMeter.ACQUIRE, withOutcome(tags, "acquired"));
        for (Refusal refusal : Refusal.values()) {
            refused.put(refusal, timer(registry, LockMeter.ACQUIRE, withOutcome(tags, refusal.name())));
        }
        hold = timer(registry, LockMeter.HOLD, tags);
        gauge(registry, LockMeter.HELD, tags, held);
        gauge(registry, LockMeter.WAITING, tags, waiting);
        for (LossCause cause : LossCause.values()) {
            Tags caused = tags.and("cause", cause.name().toLowerCase(Locale.ROOT));
            lost.put(cause, counter(registry, LockMeter.LOST, caused));
        }
        for (RenewalOutcome outcome : RenewalOutcome.values()) {
            renewals.put(outcome, counter(registry, LockMeter.RENEWALS, withOutcome(tags, outcome.name())));
        }
        handovers = counter(registry, LockMeter.HANDOVERS, tags);
        takeovers = counter(registry, LockMeter.TAKEOVERS, tags);
        doubts = counter(registry, LockMeter.DOUBTS, tags);
        confirmed = timer(registry, LockMeter.CONFIRMED, tags);
        skipped = counter(registry, LockMeter.SKIPPED, tags.and("how", "skipped"));
        fallbacks = counter(registry, LockMeter.SKIPPED, tags.and("how", "fallback"));
        LeaderLocks.roleOf(name).ifPresent(role -> registerLeader(registry, role));
    }

    /** Of the lock of a role: each grant, and each end of a hold, changes the leader. */
    private void registerLeader(MeterRegistry registry, String role) {
        Tags tags = Tags.of("role", role);
        gauge(registry, LockMeter.LEADER, tags, held);
        FunctionCounter.builder(
                        LockMeter.LEADER_CHANGES.getName(),
                        this,
                        meters -> meters.acquired.count() + meters.hold.count())
                .description(LockMeter.LEADER_CHANGES.description())
                .tags(tags)
                .register(registry);
    }

    Timer refused(Refusal refusal) {
        return Objects.requireNonNull(refused.get(refusal), "every refusal has a timer");
    }

    Counter lost(LossCause cause) {
        return Objects.requireNonNull(lost.get(cause), "every cause has a counter");
    }

    Counter renewals(RenewalOutcome outcome) {
        return Objects.requireNonNull(renewals.get(outcome), "every outcome has a counter");
    }

    private static Tags withOutcome(Tags tags, String outcome) {
        return tags.and("outcome", outcome.toLowerCase(Locale.ROOT));
    }

    private static Timer timer(MeterRegistry registry, LockMeter meter, Tags tags) {
        return Timer.builder(meter.getName())
                .description(meter.description())
                .tags(tags)
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, LockMeter meter, Tags tags) {
        return Counter.builder(meter.getName())
                .description(meter.description())
                .tags(tags)
                .register(registry);
    }

    private static void gauge(MeterRegistry registry, LockMeter meter, Tags tags, AtomicInteger value) {
        Gauge.builder(meter.getName(), value, AtomicInteger::get)
                .description(meter.description())
                .tags(tags)
                .register(registry);
    }
}
