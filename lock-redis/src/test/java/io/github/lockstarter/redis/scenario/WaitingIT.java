package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Waiters on a real server: no queue entry stays, and a lost signal delays but does not block. */
class WaitingIT extends RedisScenario {

    @Test
    void leavesNoQueueEntryWhenAWaitIsOver() {
        Application holder = warmedUp(newApplication());
        Application waiter = warmedUp(newApplicationThatTrustsSignals());
        try (LockHandle held = holder.locks().acquire(request)) {
            assertThatThrownBy(() -> waiter.locks().acquire(request.maxWait(ofMillis(300))))
                    .isInstanceOf(LockNotAcquiredException.class);

            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(redis().zcard(waitersKey)).isZero());
            held.ensureHeld();
        }
        assertNothingLeft();
    }

    @Test
    void queuesOncePerApplicationForAnyNumberOfThreads() throws Exception {
        Application holder = warmedUp(newApplication());
        Application waiter = warmedUp(newApplicationThatTrustsSignals());
        List<Future<Boolean>> waiting = new ArrayList<>();
        try (LockHandle held = holder.locks().acquire(request)) {
            for (int i = 0; i < 10; i++) {
                waiting.add(elsewhere(() -> acquiresAndReleases(waiter)));
            }
            awaitWaiting();
            letPass(ofMillis(300));

            assertThat(redis().zcard(waitersKey)).isOne();
            held.ensureHeld();
        }
        for (Future<Boolean> one : waiting) {
            assertThat(resultOf(one)).isTrue();
        }
        assertNothingLeft();
    }

    @Test
    void retriesWithGrowingDelays() {
        Application holder = warmedUp(newApplication());
        Application waiter = warmedUp(newApplication());
        try (LockHandle held = holder.locks().acquire(request)) {
            long began = System.nanoTime();
            CompletableFuture<LockHandle> waiting = waiter.locks().acquireAsync(request.maxWait(Patience.TIME));
            await().until(() -> waiter.backend().count(Verb.ACQUIRE, key) > 6);
            long attempts = waiter.backend().count(Verb.ACQUIRE, key);

            // After 20, 40, 80, 160 and then every 200 ms; with jitter, each may be up to a fifth earlier.
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            assertThat(attempts).isLessThanOrEqualTo(5 + took.toMillis() / 160);
            held.ensureHeld();
            waiting.cancel(true);
        }
    }

    private boolean acquiresAndReleases(Application application) {
        try (LockHandle lock = application.locks().acquire(request.maxWait(Patience.TIME))) {
            return lock.isHeld();
        }
    }
}
