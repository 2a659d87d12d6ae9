package io.github.lockstarter.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineSettings.Overrides;
import io.github.lockstarter.engine.settings.EngineSettings.Watchdog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which longest hold applies: that of the request, of its name, or of all locks. */
class LongestHoldTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration OF_ALL = Duration.ofMinutes(10);
    private static final Duration OF_THE_NAME = Duration.ofMinutes(5);
    private static final Duration OF_THE_REQUEST = Duration.ofMinutes(2);

    private static final LockRequest REQUEST = LockRequest.of("order:42");

    private static EngineSettings settings(Optional<Duration> ofAll, Optional<Boolean> renewal, Duration ofTheName) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        Overrides named = new Overrides(
                Optional.empty(),
                Optional.empty(),
                renewal,
                Optional.empty(),
                Optional.empty(),
                Optional.of(ofTheName),
                Optional.empty());
        return new EngineSettings(
                LEASE,
                Duration.ofHours(1),
                defaults.maxWait(),
                defaults.retry(),
                new Watchdog(true, ofAll),
                defaults.handOver(),
                defaults.shownPlace(),
                defaults.warnAfter(),
                defaults.crashTakeOver(),
                Map.of("order", named));
    }

    private static Optional<Duration> maxHold(LockRequest request) {
        return settings(Optional.of(OF_ALL), Optional.empty(), OF_THE_NAME).maxHoldOf(request, LEASE);
    }

    @Test
    void theNearestOneApplies() {
        assertThat(maxHold(REQUEST)).contains(OF_ALL);
        assertThat(maxHold(REQUEST.named("order"))).contains(OF_THE_NAME);
        assertThat(maxHold(REQUEST.named("order").renewedUpTo(OF_THE_REQUEST))).contains(OF_THE_REQUEST);
        assertThat(EngineSettings.DEFAULTS.maxHoldOf(REQUEST, LEASE)).isEmpty();
    }

    @Test
    void theOneOfANameIsNotBelowTheLeaseOfARequest() {
        EngineSettings settings = settings(Optional.empty(), Optional.empty(), OF_THE_NAME);
        LockRequest longer = REQUEST.named("order").leasedFor(Duration.ofMinutes(6));

        assertThatThrownBy(() -> settings.validate(longer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Longest hold of lock 'order:42' is 300s, below the lease of the lock (360s)");
        settings.validate(longer.withoutRenewal());
    }

    /** The bound of all locks is a default; a request that asks for a longer lease does so on purpose. */
    @Test
    void theOneOfAllLocksMayBeBelowTheLeaseOfARequest() {
        EngineSettings settings = settings(Optional.of(OF_ALL), Optional.empty(), OF_THE_NAME);

        settings.validate(REQUEST.leasedFor(Duration.ofMinutes(11)));
    }

    @Test
    void hasNoEffectWithoutRenewal() {
        assertThatThrownBy(() -> settings(Optional.empty(), Optional.of(false), OF_THE_NAME))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "distributed-lock.locks.order.max-hold has no effect, since distributed-lock.locks.order.renewal "
                                + "is false: the lock ends with its lease. Remove one of them");
        assertThatThrownBy(() -> REQUEST.withoutRenewal().renewedUpTo(OF_THE_REQUEST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which has no effect: the lock is not renewed");
        assertThatThrownBy(() -> REQUEST.renewedUpTo(OF_THE_REQUEST).withoutRenewal())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which has no effect");
    }
}
