package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The commands and fencing tokens of a hand-over within an instance. */
class EngineHandOverTests extends HandOverInterleavings {

    @Test
    void handsOverWithoutACommand() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);

        assertThat(releasing(first).get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        LockHandle second = waiting.get(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(second.fencingToken()).isEqualTo(101);
        assertThat(second.isHeld()).isTrue();
        assertThat(first.isHeld()).isFalse();
        assertThat(first.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
        assertThat(engine.heldLocks().size()).isEqualTo(1);
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void tellsListenersOfTheReleaseBeforeTheHandOver() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        releasing(first).get(Patience.SECONDS, TimeUnit.SECONDS);
        waiting.get(Patience.SECONDS, TimeUnit.SECONDS);

        assertThat(events).hasSize(3);
        assertThat(events.get(1))
                .isInstanceOfSatisfying(LockEvent.Released.class, event -> assertThat(event.fencingToken())
                        .isEqualTo(100));
        assertThat(events.get(2)).isInstanceOfSatisfying(LockEvent.Acquired.class, event -> {
            assertThat(event.fencingToken()).isEqualTo(101);
            assertThat(event.path()).isEqualTo(LockEvent.Path.HANDED_OVER);
        });
    }

    @Test
    void asksForSeveralFencingTokensOnlyWhenAWaiterCanUseThem() throws Exception {
        LockHandle alone = granted(REQUEST, 1);
        engine.acquireAsync(REQUEST);
        CompletableFuture<ReleaseOutcome> releasing = releasing(alone);
        assertThat(backend.nextRelease().command().fencingToken()).isEqualTo(1);

        Sent<AcquireCommand, AcquireResult> follower = backend.nextAcquire();
        assertThat(follower.command().fencingTokens()).isEqualTo(EngineSettings.HandOver.FENCING_TOKENS);
        backend.answerTheRest();
        releasing.get(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(backend.log.get(0))
                .isInstanceOfSatisfying(AcquireCommand.class, command -> assertThat(command.fencingTokens())
                        .isEqualTo(1));
    }

    @Test
    void releasesWithTheLastFencingTokenOfTheGrant() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        releasing(first).get(Patience.SECONDS, TimeUnit.SECONDS);
        releasing(waiting.get(Patience.SECONDS, TimeUnit.SECONDS));

        ReleaseCommand command = backend.nextRelease().command();
        assertThat(command.fencingToken()).isEqualTo(163);
        assertThat(command.requeue()).isEmpty();
    }

    @Test
    void triesAgainAfterTheReleaseOnceTheFencingTokensAreUsedUp() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), EngineSettings.HandOver.FENCING_TOKENS - 1);
        assertThat(last.fencingToken()).isEqualTo(163);
        engine.acquireAsync(REQUEST);
        releasing(last);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().token()).isNotEqualTo(release.command().token());
        assertThat(attempt.command().fencingFloor()).isEqualTo(163);
        assertThat(backend.log).endsWith(release.command(), attempt.command());
    }

    @Test
    void doublesTheTokenBlockWhenItIsUsedUpQuickly() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 1, 0);
        Deque<CompletableFuture<LockHandle>> line = new ArrayDeque<>();
        line.add(engine.acquireAsync(REQUEST)); // someone always waits
        for (int block : new int[] {64, 128, 256, 512, 1024, 1024}) {
            for (int i = 1; i < block; i++) {
                line.add(engine.acquireAsync(REQUEST));
                assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
                holder = line.remove().get(Patience.SECONDS, TimeUnit.SECONDS);
            }
            line.add(engine.acquireAsync(REQUEST));
            releasing(holder);
            ReleaseCommand release = answered(backend.nextRelease(), new ReleaseResult.Released(0));
            AcquireResult granted = new AcquireResult.Granted(release.fencingToken() + 1, 0);
            assertThat(answered(backend.nextAcquire(), granted).fencingTokens()).isEqualTo(Math.min(2 * block, 1024));
            holder = line.remove().get(Patience.SECONDS, TimeUnit.SECONDS);
        }
    }

    private static <C, R> C answered(Sent<C, R> sent, R answer) {
        sent.answer().complete(answer);
        return sent.command();
    }

    @Test
    void returnsToTheSmallestTokenBlockWhenOneIsNotUsedUp() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), EngineSettings.HandOver.FENCING_TOKENS - 1);
        CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> next = engine.acquireAsync(REQUEST); // keeps the queue
        engine.acquireAsync(REQUEST.leasedFor(Duration.ofSeconds(10))); // gets no hand-over
        releasing(last);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        AcquireResult granted = new AcquireResult.Granted(200, 0);
        assertThat(answered(backend.nextAcquire(), granted).fencingTokens())
                .isEqualTo(2 * EngineSettings.HandOver.FENCING_TOKENS);
        follower.get(Patience.SECONDS, TimeUnit.SECONDS).release();
        releasing(next.get(Patience.SECONDS, TimeUnit.SECONDS));
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        engine.acquireAsync(REQUEST);
        assertThat(backend.nextAcquire().command().fencingTokens()).isEqualTo(EngineSettings.HandOver.FENCING_TOKENS);
    }

    @Test
    void aTryForALockOfTheSameInstanceIsRefusedWithoutACommand() throws Exception {
        granted(REQUEST, 1);
        assertThat(engine.tryAcquire(REQUEST.withoutWaiting())).isEmpty();
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofMillis(30)));
        assertThatThrownBy(() -> brief.get(Patience.SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("Could not acquire lock 'order:42' within 30ms")
                .hasMessageContaining("behind other callers of this JVM");
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void anInnerReleaseDoesNotHandOver() throws Exception {
        CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(
                        () -> {
                            LockHandle outer = engine.acquire(REQUEST);
                            LockHandle inner = engine.acquire(REQUEST);
                            CompletableFuture<LockHandle> other = engine.acquireAsync(REQUEST);
                            assertThat(inner.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
                            assertThat(other).isNotDone();
                            outer.release();
                            return other;
                        },
                        EngineInterleavings::onNewThread)
                .thenCompose(other -> other);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        // Sent by another thread: the signal must follow once that thread awaits the answer.
        await().until(() -> attempt.answer().getNumberOfDependents() > 0);
        attempt.answer().complete(contended());
        backend.signal(KEY);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS).fencingToken())
                .isEqualTo(101);
    }
}
