package io.github.lockstarter.observe.meter;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.leader.LeaderLocks;
import io.micrometer.core.instrument.Counter;
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
        acquired = LockMeter.ACQUIRE.timer(registry, withOutcome(tags, "acquired"));
        for (Refusal refusal : Refusal.values()) {
            refused.put(refusal, LockMeter.ACQUIRE.timer(registry, withOutcome(tags, refusal.name())));
        }
        hold = LockMeter.HOLD.timer(registry, tags);
        LockMeter.HELD.gauge(registry, tags, held, AtomicInteger::get);
        LockMeter.WAITING.gauge(registry, tags, waiting, AtomicInteger::get);
        for (LossCause cause : LossCause.values()) {
            Tags caused = tags.and("cause", cause.name().toLowerCase(Locale.ROOT));
            lost.put(cause, LockMeter.LOST.counter(registry, caused));
        }
        for (RenewalOutcome outcome : RenewalOutcome.values()) {
            renewals.put(outcome, LockMeter.RENEWALS.counter(registry, withOutcome(tags, outcome.name())));
        }
        handovers = LockMeter.HANDOVERS.counter(registry, tags);
        takeovers = LockMeter.TAKEOVERS.counter(registry, tags);
        doubts = LockMeter.DOUBTS.counter(registry, tags);
        confirmed = LockMeter.CONFIRMED.timer(registry, tags);
        skipped = LockMeter.SKIPPED.counter(registry, tags.and("how", "skipped"));
        fallbacks = LockMeter.SKIPPED.counter(registry, tags.and("how", "fallback"));
        LeaderLocks.roleOf(name).ifPresent(role -> registerLeader(registry, Tags.of("role", role)));
    }

    /** Of the lock of a role: each grant, and each end of a hold, changes the leader. */
    private void registerLeader(MeterRegistry registry, Tags tags) {
        LockMeter.LEADER.gauge(registry, tags, held, AtomicInteger::get);
        LockMeter.LEADER_CHANGES.counter(registry, tags, this, meters -> meters.acquired.count() + meters.hold.count());
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
}
