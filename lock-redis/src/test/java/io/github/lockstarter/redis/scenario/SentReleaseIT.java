package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.net.TcpProxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Releases that wait for no answer ({@code release=send}), on a real server. */
class SentReleaseIT extends RedisScenario {

    private static final String SENDING = "sending";

    private final LockRequest sending = request.named(SENDING).ownedByHandle();

    /** Commands of an instance reach the server in their order. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void executesTheReleaseBeforeTheNextAttemptOfTheInstance(int permits) {
        Application application = warmedUp(newApplication(sendingReleases()));
        LockRequest next = sending.permits(permits).withoutWaiting();
        if (permits > 1) {
            application.locks().acquire(next);
        }
        for (int i = 0; i < 100; i++) {
            application.locks().acquire(next).close();
        }
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
    }

    /** The control is a lock whose release is awaited. */
    @Test
    void releaseReturnsBeforeTheServerReceivesIt() throws Exception {
        TcpProxy proxy = newProxy();
        Application stalled = warmedUp(newApplicationBehind(proxy, sendingReleases()));
        LockHandle sent = stalled.locks().acquire(sending);
        LockHandle awaited =
                stalled.locks().acquire(LockRequest.of(key + ":awaited").ownedByHandle());
        proxy.stallRequests();

        CompletableFuture<ReleaseOutcome> awaiting = awaited.closeAsync();
        assertThat(sent.release()).isEqualTo(ReleaseOutcome.SENT);
        assertThat(redis().exists(lockKey)).isOne();
        assertThat(awaiting).isNotDone();

        proxy.flow();
        assertThat(resultOf(awaiting)).isEqualTo(ReleaseOutcome.RELEASED);
        assertNothingLeft();
    }

    private static EngineSettings sendingReleases() {
        EngineSettings usual = Application.settings(LONG_LEASE).withCrashTakeover(Duration.ZERO); // never in doubt
        return new EngineSettings(
                usual.terms(),
                usual.maxLease(),
                usual.maxRetryDelay(),
                usual.handover(),
                usual.shownPlace(),
                usual.warnAfter(),
                Map.of(SENDING, LockTerms.NONE.release(LockTerms.Release.SEND)));
    }
}
