package io.github.lockstarter.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineSettings.Watchdog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The longest hold that applies: the request's, or the default of all locks. */
class LongestHoldTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration OF_ALL = Duration.ofMinutes(10);
    private static final Duration OF_THE_REQUEST = Duration.ofMinutes(2);

    private static final LockRequest REQUEST = LockRequest.of("order:42");

    private static EngineSettings settings() {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                LEASE,
                Duration.ofHours(1),
                defaults.maxWait(),
                defaults.maxRetryDelay(),
                new Watchdog(true, Optional.of(OF_ALL)),
                defaults.handOver(),
                defaults.shownPlace(),
                defaults.warnAfter(),
                defaults.crashTakeOver(),
                Map.of());
    }

    @Test
    void theMostSpecificLongestHoldApplies() {
        assertThat(settings().maxHoldOf(REQUEST, LEASE)).contains(OF_ALL);
        assertThat(settings().maxHoldOf(REQUEST.renewedUpTo(OF_THE_REQUEST), LEASE))
                .contains(OF_THE_REQUEST);
        assertThat(EngineSettings.DEFAULTS.maxHoldOf(REQUEST, LEASE)).isEmpty();
    }

    @Test
    void theLongestHoldOfARequestIsNotBelowItsLease() {
        LockRequest longer = REQUEST.renewedUpTo(Duration.ofMinutes(5)).leasedFor(Duration.ofMinutes(6));

        assertThatThrownBy(() -> settings().validate(longer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Longest hold of lock 'order:42' is 300s, below the lease of the lock (360s)");
    }

    /** The limit of all locks is a default; a request for a longer lease is deliberate. */
    @Test
    void theLongestHoldOfAllLocksMayBeBelowTheLeaseOfARequest() {
        settings().validate(REQUEST.leasedFor(Duration.ofMinutes(11)));
    }

    @Test
    void theLongestHoldHasNoEffectWithoutRenewal() {
        assertThatThrownBy(() -> REQUEST.withoutRenewal().renewedUpTo(OF_THE_REQUEST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which has no effect: the lock is not renewed");
        assertThatThrownBy(() -> REQUEST.renewedUpTo(OF_THE_REQUEST).withoutRenewal())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which has no effect");
    }
}
