package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Stopping the engine during attempts, renewals and releases. */
class EngineStopInterleavingTests extends EngineInterleavings {

    private volatile Runnable beforeCompletion = () -> {};

    @Override
    EngineEnvironment environment() {
        EngineEnvironment usual = super.environment();
        return new EngineEnvironment(
                usual.clock(),
                usual.newTimer(),
                usual.newLossExecutor(),
                usual.newCallbackExecutor(),
                () -> new ThreadPoolExecutor(0, 100, 1, TimeUnit.SECONDS, new SynchronousQueue<>()) {
                    @Override
                    protected void beforeExecute(Thread thread, Runnable completion) {
                        beforeCompletion.run();
                    }
                },
                usual.identity(),
                usual.jitter());
    }

    @Test
    void stoppingNotifiesHoldersAndWaitersAndReleases() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(LockRequest.of("order:43"));
        backend.nextAcquire().answer().complete(contended());
        CompletableFuture<LockHandle> waitingForOurs = engine.acquireAsync(REQUEST);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(engine::stop, EngineInterleavings::onNewThread);

        assertThat(lost.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        for (CompletableFuture<LockHandle> waiter : List.of(waiting, waitingForOurs)) {
            assertThatThrownBy(() -> resultOf(waiter))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LockBackendException.class)
                    .hasMessageContaining("shut down");
        }
        assertThat(backend.nextRelease().command().fencingToken()).isEqualTo(1);
        assertThat(backend.nextWithdrawal().command().key()).isEqualTo("order:43");
        awaitStop(stopping);
        assertThatThrownBy(() -> engine.acquire(REQUEST))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("shut down");

        engine.start();
        assertThat(granted(REQUEST, 2).isHeld()).isTrue();
    }

    /** Otherwise each deployment would look like a failure of the store. */
    @Test
    void countsNoRefusalOfADrainAsAnError() throws Exception {
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        engine.drain();

        assertFails(waiting, LockBackendException.class).hasMessageContaining("shut down");
        assertThatThrownBy(() -> engine.acquire(REQUEST)).isInstanceOf(LockBackendException.class);
        assertThat(refusals).containsExactly(LockEvent.Refusal.INTERRUPTED, LockEvent.Refusal.INTERRUPTED);
    }

    @Test
    void countsAFailureOfTheStoreAsAnErrorEvenIfTheDrainOvertakesIt() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.withoutWaiting());
        CountDownLatch drained = new CountDownLatch(1);
        beforeCompletion = () -> awaitQuietly(drained);
        backend.nextAcquire().answer().complete(new AcquireResult.Rejected("no connection", cause));
        engine.drain();
        drained.countDown();

        assertFails(acquiring, LockBackendException.class).hasMessageContaining("no connection");
        assertThat(refusals).containsExactly(LockEvent.Refusal.ERROR);
    }

    @Test
    void refusesAGrantThatArrivesAfterTheStop() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<Void> stopping = engine.beginStop();
        assertThat(stopping).as("an attempt is under way").isNotDone();
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertFails(acquiring, LockBackendException.class).hasMessageContaining("shut down");
        Sent<ReleaseCommand, ReleaseResult> back = backend.nextRelease();
        assertThat(back.command().token()).isEqualTo(attempt.command().token());
        back.answer().complete(new ReleaseResult.Released(0));
        resultOf(stopping);
    }

    @Test
    void stoppingAwaitsAnAttemptThatIsAboutToBeSent() throws Exception {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch made = new CountDownLatch(1);
        backend.beforeAcquire = () -> {
            making.countDown();
            awaitQuietly(made);
        };
        CompletableFuture<LockHandle> acquiring = CompletableFuture.supplyAsync(
                        () -> engine.acquireAsync(REQUEST.withoutWaiting()), EngineInterleavings::onNewThread)
                .thenCompose(sent -> sent);
        assertThat(making.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(engine::stop, EngineInterleavings::onNewThread);
        await().pollDelay(Duration.ofMillis(100)).until(() -> !engine.isRunning());
        assertThat(stopping).isNotDone();
        made.countDown();

        backend.nextAcquire().answer().complete(contended());
        resultOf(stopping);
        assertThat(acquiring).failsWithin(Patience.TIME);
    }

    @Test
    void stoppingReturnsWhenTheLastAnswerArrivesConcurrently() throws Exception {
        for (int i = 0; i < 300; i++) {
            Outages outages = new Outages(backend, StoreEvent.Scope.ALL, clock::nanos, event -> {});
            StoreCalls calls = new StoreCalls(backend, outages, clock, new TimerThread(clock), 10);
            calls.sendRelease(new ReleaseCommand(KEY, new LockToken("instance", i), 0), result -> {});
            Sent<ReleaseCommand, ReleaseResult> last = backend.nextRelease();
            onNewThread(() -> last.answer().complete(new ReleaseResult.Released(0)));
            resultOf(calls.whenIdle());
        }
    }

    /** The hold ends, and the drain waits for the store after the stop did. */
    @Test
    void aStopCompletesDuringADrain() throws Exception {
        granted(REQUEST, 1);
        letPass(Duration.ofSeconds(11));
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        CompletableFuture<Void> drained = engine.drain();
        CompletableFuture<CompletableFuture<Void>> stopping = new CompletableFuture<>();
        onLostRenewal = () -> stopping.complete(engine.beginStop());
        renewal.answer().complete(new RenewResult.NotHeld());
        backend.answerTheRest();

        assertThat(resultOf(stopping)).succeedsWithin(Patience.TIME);
        assertThat(drained).succeedsWithin(Patience.TIME);
    }

    @Test
    void aStopThatHasBegunCompletesWhenStopIsCalledAgain() throws Exception {
        granted(REQUEST, 1);
        CompletableFuture<Void> begun = engine.beginStop();
        Thread stopping = blocked(engine::stop);
        assertThat(begun).as("the release is unanswered").isNotDone();
        backend.answerTheRest();

        assertThat(begun).succeedsWithin(Patience.TIME);
        stopping.join(Patience.TIME.toMillis());
        assertThat(stopping.isAlive()).isFalse();
    }

    /** The timer of the stopping run is closed: it could renew nothing. */
    @Test
    void renewsLocksGrantedByAStartAfterAStopHasBegun() throws Exception {
        engine.beginStop();

        engine.start();

        assertThat(engine.isRunning()).isTrue();
        assertThat(granted(REQUEST, 1).isHeld()).isTrue();
        letPass(Duration.ofSeconds(11));
        assertThat(backend.nextRenewal().command().key()).isEqualTo(KEY);
    }

    @Test
    void drainDoesNotUndoAStopThatHasBegun() {
        engine.beginStop();

        engine.drain();

        assertThat(engine.isRunning()).isFalse();
    }

    @Test
    void leaveToLeasesReturnsDuringADrain() throws Exception {
        LockHandle held = granted(REQUEST, 1);
        Thread leaving = blocked(engine::leaveToLeases);
        CompletableFuture<Void> drained = engine.drain();
        releasing(held);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));

        leaving.join(Patience.TIME.toMillis());
        assertThat(leaving.isAlive()).isFalse();
        assertThat(drained).succeedsWithin(Patience.TIME);
    }

    /** A thread that waits for a future inside the step. */
    private static Thread blocked(Runnable step) {
        Thread thread = new Thread(step);
        thread.setDaemon(true);
        thread.start();
        await().until(() -> Stream.of(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(BlockingWait.class.getName())));
        return thread;
    }

    @Test
    void refusesAGrantDuringTheDrainAsShutDown() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        AtomicBoolean isAnswered = new AtomicBoolean();
        onClock = () -> {
            if (!engine.isRunning() && isAnswered.compareAndSet(false, true)) {
                attempt.answer().complete(grant(1, 0)); // before the drain has ended the waits for the key
            }
        };
        engine.drain();

        assertThat(isAnswered).isTrue();
        assertThatThrownBy(() -> resultOf(acquiring)).hasMessageContaining("shut down");
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
    }

    @Test
    void aStartAfterADrainWaitsForTheAttemptsOfTheFormerInstance() throws Exception {
        CompletableFuture<LockHandle> refused = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        engine.drain();
        Thread starting = blocked(engine::start);
        assertThat(engine.isRunning()).isFalse();

        attempt.answer().complete(grant(1, 0));
        Sent<ReleaseCommand, ReleaseResult> back = backend.nextRelease();
        assertThat(back.command().token()).isEqualTo(attempt.command().token());
        back.answer().complete(new ReleaseResult.Released(0));
        starting.join(Patience.TIME.toMillis());

        assertThat(refused).failsWithin(Patience.TIME);
        engine.acquireAsync(REQUEST);
        AcquireCommand next = backend.nextAcquire().command();
        assertThat(next.token().instanceId())
                .isNotEqualTo(attempt.command().token().instanceId());
        assertThat(next.fencingFloor()).as("the memory of the former instance").isEqualTo(1);
    }

    @Test
    void aReleaseDuringTheStopIsReportedOnce() throws Exception {
        AtomicInteger released = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            released.set(0);
            LockEngine stopping = new LockEngine(
                    new LocalLockBackend(),
                    EngineSettings.DEFAULTS,
                    List.of(event -> {
                        if (event instanceof LockEvent.Released) {
                            released.incrementAndGet();
                        }
                    }),
                    EngineClock.SYSTEM);
            LockHandle handle = stopping.acquireAsync(REQUEST).get(Patience.SECONDS, TimeUnit.SECONDS);
            CountDownLatch left = new CountDownLatch(1);
            onNewThread(() -> {
                handle.release();
                left.countDown();
            });
            stopping.stop();
            assertThat(left.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(released).hasValue(1);
        }
    }
}
