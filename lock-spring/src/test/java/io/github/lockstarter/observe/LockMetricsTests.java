package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Acquired;
import io.github.lockstarter.LockEvent.Confirmed;
import io.github.lockstarter.LockEvent.Contended;
import io.github.lockstarter.LockEvent.InDoubt;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Lost;
import io.github.lockstarter.LockEvent.NotAcquired;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockEvent.Released;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.LockEvent.Renewed;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Scope;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LockMetricsTests {

    private static final String NAME = "ship-order";
    private static final String KEY = "ship-order:42";
    private static final Duration WAITED = Duration.ofMillis(250);
    private static final Duration HELD = Duration.ofSeconds(3);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LockMetrics metrics = new LockMetrics(registry, List::of);

    @Test
    void showsWhetherTheStoreAnswersOrRecovers() {
        assertThat(storeGauge("distributed.lock.store.up")).isEqualTo(1);
        assertThat(storeGauge("distributed.lock.recovering")).isZero();

        metrics.onStoreEvent(new StoreEvent.Unreachable("Redis at a", Scope.ALL, "refused"));
        metrics.onStoreEvent(new StoreEvent.RecoveryStarted("Redis at b", Scope.PART, "lost its data", HELD));
        assertThat(storeGauge("distributed.lock.store.up")).isZero();
        assertThat(storeGauge("distributed.lock.recovering")).isEqualTo(1);

        metrics.onStoreEvent(new StoreEvent.Reachable("Redis at a", Scope.ALL, HELD));
        metrics.onStoreEvent(new StoreEvent.RecoveryEnded("Redis at b", Scope.PART, HELD));
        assertThat(storeGauge("distributed.lock.store.up")).isEqualTo(1);
        assertThat(storeGauge("distributed.lock.recovering")).isZero();
    }

    @Test
    void ignoresTheOutageOfASingleVote() {
        metrics.onStoreEvent(new StoreEvent.Unreachable("Redis at a", Scope.VOTE, "refused"));
        metrics.onStoreEvent(new StoreEvent.RecoveryStarted("Redis at b", Scope.VOTE, "lost its data", HELD));
        assertThat(storeGauge("distributed.lock.store.up")).isEqualTo(1);
        assertThat(storeGauge("distributed.lock.recovering")).isZero();
    }

    private double storeGauge(String name) {
        return registry.get(name).gauge().value();
    }

    @Test
    void timesAnAcquisitionAndCountsTheHeldLock() {
        metrics.onEvent(acquired(Path.UNCONTENDED));

        assertThat(acquires("acquired")).isEqualTo(1);
        assertThat(registry.get("distributed.lock.acquire")
                        .tag("outcome", "acquired")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(250);
        assertThat(gauge("distributed.lock.held")).isEqualTo(1);
        assertThat(gauge("distributed.lock.waiting")).isZero();
    }

    @Test
    void timesTheHoldFromGrantToRelease() {
        metrics.onEvent(acquired(Path.UNCONTENDED));
        metrics.onEvent(released(ReleaseOutcome.RELEASED));

        assertThat(gauge("distributed.lock.held")).isZero();
        assertThat(registry.get("distributed.lock.hold").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void timesARefusalByItsReasonAndEndsTheWait(Refusal refusal) {
        metrics.onEvent(new Contended(NAME, KEY));
        metrics.onEvent(new NotAcquired(NAME, KEY, WAITED, refusal, true));
        metrics.onEvent(new NotAcquired(NAME, KEY, WAITED, refusal, false));

        assertThat(acquires(refusal.name().toLowerCase(Locale.ROOT))).isEqualTo(2);
        assertThat(gauge("distributed.lock.waiting")).isZero();
        assertThat(gauge("distributed.lock.held")).isZero();
    }

    @ParameterizedTest
    @EnumSource(RenewalOutcome.class)
    void countsRenewalsByTheirOutcome(RenewalOutcome outcome) {
        metrics.onEvent(new Renewed(NAME, KEY, 17, outcome));

        assertThat(registry.get("distributed.lock.renewals")
                        .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("distributed.lock.renewals").counters())
                .extracting(counter -> counter.count())
                .containsOnlyOnce(1.0);
    }

    @Test
    void countsALossOnceWhicheverOfItsTwoEventsComesFirst() {
        metrics.onEvent(acquired(Path.UNCONTENDED));
        metrics.onEvent(acquired(Path.UNCONTENDED));

        metrics.onEvent(lost());
        metrics.onEvent(released(ReleaseOutcome.LOST));
        metrics.onEvent(released(ReleaseOutcome.LOST));
        metrics.onEvent(lost());

        assertThat(registry.get("distributed.lock.lost")
                        .tag("cause", "owner_changed")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("distributed.lock.hold").timer().count()).isEqualTo(2);
        assertThat(gauge("distributed.lock.held")).isZero();
    }

    @Test
    void countsTakeoversApartFromOtherGrants() {
        metrics.onEvent(new Contended(NAME, KEY));
        metrics.onEvent(acquired(Path.TAKEN_OVER));
        metrics.onEvent(new Contended(NAME, KEY));
        metrics.onEvent(acquired(Path.WAITED));

        assertThat(counter("distributed.lock.takeovers")).isEqualTo(1);
        assertThat(counter("distributed.lock.handovers")).isZero();
        assertThat(acquires("acquired")).isEqualTo(2);
        assertThat(gauge("distributed.lock.waiting")).isZero();
    }

    @Test
    void countsDoubtsAndTimesTheirConfirmation() {
        metrics.onEvent(acquired(Path.UNCONTENDED));
        metrics.onEvent(new InDoubt(NAME, KEY, 17, HELD));
        metrics.onEvent(new InDoubt(NAME, KEY, 18, HELD));
        metrics.onEvent(new Confirmed(NAME, KEY, 17, WAITED));

        assertThat(counter("distributed.lock.doubts")).isEqualTo(2);
        assertThat(registry.get("distributed.lock.confirmed").timer())
                .satisfies(timer -> assertThat(timer.count()).isEqualTo(1))
                .satisfies(timer ->
                        assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo((double) WAITED.toMillis()));
        assertThat(gauge("distributed.lock.held")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(LossCause.class)
    void countsLossesByTheirCause(LossCause cause) {
        metrics.onEvent(new Lost(NAME, KEY, 17, HELD, cause, 0));

        assertThat(registry.get("distributed.lock.lost").counters())
                .filteredOn(counter -> counter.count() == 1)
                .singleElement()
                .satisfies(counter -> assertThat(counter.getId().getTag("cause"))
                        .isEqualTo(cause.name().toLowerCase(Locale.ROOT)));
    }

    @Test
    void aReleaseThatWasNotAnsweredEndsTheHold() {
        metrics.onEvent(acquired(Path.UNCONTENDED));
        metrics.onEvent(released(ReleaseOutcome.UNKNOWN));

        assertThat(gauge("distributed.lock.held")).isZero();
    }

    @Test
    void manyKeysOfOneNameShareOneTimeSeries() {
        everyEvent(NAME, "ship-order:0");
        int series = registry.getMeters().size();

        IntStream.range(0, 10_000).forEach(i -> everyEvent(NAME, "ship-order:" + i));

        assertThat(registry.getMeters())
                .hasSize(series)
                .filteredOn(meter -> !meter.getId().getTags().isEmpty()) // otherwise it belongs to the store
                .allSatisfy(meter -> assertThat(meter.getId().getTag("name")).isEqualTo(NAME));
        assertThat(registry.getMeters().stream().flatMap(meter -> meter.getId().getTags().stream()))
                .extracting(Tag::getValue)
                .noneMatch(value -> value.contains(":"));
        assertThat(acquires("acquired")).isEqualTo(20_002);
    }

    @Test
    void namesBeyondTheLimitShareOneNameWithOneWarning(CapturedOutput output) {
        IntStream.range(0, 10 * LockMetrics.MAX_NAMES).forEach(i -> everyEvent("name-" + i, KEY));

        Stream<String> names = registry.find("distributed.lock.hold").timers().stream()
                .map(timer -> String.valueOf(timer.getId().getTag("name")));
        assertThat(names).hasSize(LockMetrics.MAX_NAMES + 1).contains("name-0", LockMetrics.OTHER);
        assertThat(registry.get("distributed.lock.hold")
                        .tag("name", LockMetrics.OTHER)
                        .timer()
                        .count())
                .isEqualTo(2 * 9 * LockMetrics.MAX_NAMES);
        assertThat(registry.find("distributed.lock.held").gauges())
                .allSatisfy(gauge -> assertThat(gauge.value()).isZero());
        assertThat(output.getOut()).containsOnlyOnce("More than 1000 lock names; 'name-1000'");
    }

    @Test
    void countsLongAndAbandonedHolds() {
        metrics.onEvent(new LockEvent.HeldLong(NAME, KEY, 17, HELD, Optional.empty()));
        metrics.onEvent(new LockEvent.Abandoned(NAME, KEY, 17, "worker-1", HELD, LockEvent.Abandonment.KEPT));
        metrics.onEvent(new LockEvent.Abandoned(NAME, KEY, 17, "worker-1", HELD, LockEvent.Abandonment.RELEASED));

        assertThat(counter("distributed.lock.held.long")).isEqualTo(1);
        assertThat(counter("distributed.lock.abandoned")).isEqualTo(1);
    }

    @Test
    void registersExactlyTheDocumentedMeters() {
        everyEvent(NAME, KEY);
        LockMetrics.ofListeners(() -> Map.of("Listener", () -> 1)).bindTo(registry);

        assertThat(registry.getMeters().stream()
                        .map(Meter::getId)
                        .map(Described::of)
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(LockMeter.values()).map(Described::of).toList());
    }

    private void everyEvent(String name, String key) {
        metrics.onEvent(new Acquired(name, key, 17, WAITED, 1, Path.UNCONTENDED, Optional.empty()));
        metrics.onEvent(new Renewed(name, key, 17, RenewalOutcome.RENEWED));
        metrics.onEvent(new Released(name, key, 17, HELD, ReleaseOutcome.RELEASED));
        metrics.onEvent(new Contended(name, key));
        metrics.onEvent(new NotAcquired(name, key, WAITED, Refusal.CONTENDED, true));
        metrics.onEvent(new Acquired(name, key, 18, WAITED, 1, Path.UNCONTENDED, Optional.empty()));
        metrics.onEvent(new Lost(name, key, 18, HELD, LossCause.LEASE_EXPIRED, 3));
        metrics.onEvent(new Released(name, key, 18, HELD, ReleaseOutcome.LOST));
    }

    private static Acquired acquired(Path path) {
        return new Acquired(NAME, KEY, 17, WAITED, 1, path, Optional.empty());
    }

    private static Released released(ReleaseOutcome outcome) {
        return new Released(NAME, KEY, 17, HELD, outcome);
    }

    private static Lost lost() {
        return new Lost(NAME, KEY, 17, HELD, LossCause.OWNER_CHANGED, 0);
    }

    private long acquires(String outcome) {
        return registry.get("distributed.lock.acquire")
                .tag("name", NAME)
                .tag("outcome", outcome)
                .timer()
                .count();
    }

    private double counter(String meter) {
        return registry.get(meter).tag("name", NAME).counter().count();
    }

    private double gauge(String meter) {
        return registry.get(meter).tag("name", NAME).gauge().value();
    }

    private record Described(String name, Meter.Type type, String description) {

        static Described of(Meter.Id id) {
            return new Described(id.getName(), id.getType(), String.valueOf(id.getDescription()));
        }

        static Described of(LockMeter meter) {
            return new Described(meter.getName(), meter.getType(), meter.description());
        }
    }
}
