package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.engine.queue.FencingBlock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long an instance passes a lock on, with the default settings. */
class EngineHandOverTimeTests extends EngineInterleavings {

    @Test
    void handsOverForFiftyMillisecondsAtMostWhileAnotherInstanceWaits() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 1);
        engine.acquireAsync(REQUEST);
        await().pollDelay(Duration.ofMillis(55)).until(() -> true); // time is the bound
        releasing(first);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }

    @Test
    void asksForNoMoreFencingTokensThanUsualAfterABlockThatTookItsTime() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 100, 0);
        await().pollDelay(Duration.ofMillis(55)).until(() -> true); // time is the bound
        for (int i = 0; i < FencingBlock.LEAST - 1; i++) {
            CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
            releasing(holder).get(5, TimeUnit.SECONDS);
            holder = follower.get(5, TimeUnit.SECONDS);
        }
        engine.acquireAsync(REQUEST);
        releasing(holder);
        assertThat(backend.nextAcquire().command().fencingTokens()).isEqualTo(FencingBlock.LEAST);
    }

    @Test
    void aSecondNoticeProlongsNothing() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 1);
        engine.acquireAsync(REQUEST);
        await().pollDelay(Duration.ofMillis(55)).until(() -> true); // time is the bound
        backend.wanted(KEY);
        releasing(first);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }
}
