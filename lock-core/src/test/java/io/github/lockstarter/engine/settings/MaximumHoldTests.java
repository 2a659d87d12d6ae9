package io.github.lockstarter.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.Renewal;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The maximum hold that applies: the request's, its name's, or the default of all locks. */
class MaximumHoldTests {

    private static final Duration OF_ALL = Duration.ofMinutes(10);
    private static final Duration OF_THE_NAME = Duration.ofMinutes(5);
    private static final Duration OF_THE_REQUEST = Duration.ofMinutes(2);

    private static final LockRequest REQUEST = LockRequest.of("order:42");

    private static EngineSettings settings() {
        return settings(LockTerms.NONE.maxHold(OF_ALL), LockTerms.NONE.maxHold(OF_THE_NAME));
    }

    private static EngineSettings settings(LockTerms ofAll, LockTerms ofTheName) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                ofAll,
                Duration.ofHours(1),
                defaults.maxRetryDelay(),
                defaults.handover(),
                defaults.shownPlace(),
                defaults.warnAfter(),
                Map.of("ship", ofTheName));
    }

    @Test
    void theMostSpecificMaximumHoldApplies() {
        assertThat(settings().completed(REQUEST).maxHold()).contains(OF_ALL);
        assertThat(settings().completed(REQUEST.maxHold(OF_THE_REQUEST)).maxHold())
                .contains(OF_THE_REQUEST);
        assertThat(settings().completed(REQUEST.named("ship")).maxHold()).contains(OF_THE_NAME);
        assertThat(EngineSettings.DEFAULTS.completed(REQUEST).maxHold()).isEmpty();
    }

    @Test
    void theMaximumHoldOfARequestIsNotBelowItsLease() {
        LockRequest longer = REQUEST.maxHold(Duration.ofMinutes(5)).lease(Duration.ofMinutes(6));

        assertThatThrownBy(() -> settings().completed(longer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("maxHold of lock 'order:42' is 300s, below the lease of the lock (360s)");
    }

    /** The limit of all locks is a default; a request for a longer lease is deliberate. */
    @Test
    void theMaximumHoldOfAllLocksMayBeBelowTheLeaseOfARequest() {
        settings().completed(REQUEST.lease(Duration.ofMinutes(11)));
    }

    @Test
    void theMaximumHoldHasNoEffectWithoutRenewal() {
        assertThatThrownBy(() -> REQUEST.withoutRenewal().maxHold(OF_THE_REQUEST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which has no effect: the lock is not renewed");
        assertThatThrownBy(() -> REQUEST.maxHold(OF_THE_REQUEST).withoutRenewal())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which has no effect");
    }

    @Test
    void theMaximumHoldOfAnExtensionHasNoEffectIfTheHoldIsNotRenewed() {
        LockTerms held = settings().completed(REQUEST.withoutRenewal());
        LockRequest extension = REQUEST.maxHold(OF_THE_REQUEST);

        assertThatThrownBy(() -> settings().checkExtension(extension, held))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("maxHold of lock 'order:42' is 120s, which has no effect");
        settings().checkExtension(extension.withRenewal(), held);
        settings().checkExtension(extension, held.renewal(Renewal.ON));
    }

    @Test
    void theMaximumHoldOfARequestHasNoEffectIfItsNameIsNotRenewed() {
        EngineSettings settings = settings(LockTerms.NONE, LockTerms.NONE.renewal(Renewal.OFF));
        LockRequest request = REQUEST.named("ship").maxHold(OF_THE_REQUEST);

        assertThatThrownBy(() -> settings.completed(request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("maxHold of lock 'order:42' is 120s, which has no effect");
        assertThat(settings.completed(request.withRenewal()).maxHold()).contains(OF_THE_REQUEST);
    }

    @Test
    void aConfiguredMaximumHoldIsADefaultForLocksThatAreRenewed() {
        settings().completed(REQUEST.withoutRenewal());
        settings().completed(REQUEST.named("ship").withoutRenewal());
        settings(LockTerms.NONE.renewal(Renewal.OFF).maxHold(OF_ALL), LockTerms.NONE)
                .completed(REQUEST);
    }
}
