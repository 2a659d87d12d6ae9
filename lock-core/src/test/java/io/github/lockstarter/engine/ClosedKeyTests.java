package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread that fails in the middle of a change of a key. */
class ClosedKeyTests {

    private static final String KEY = "order:42";
    private static final LockRequest REQUEST = LockRequest.of(KEY).waitingUpTo(Duration.ofHours(1));
    private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS;
    private static final Duration CENTURIES = Duration.ofSeconds(9_999_999_999L);

    private final ManualBackend backend = new ManualBackend();
    private final Running running = new Running(
            backend,
            new Outages(backend, StoreEvent.Scope.ALL, System::nanoTime, event -> {}),
            SETTINGS,
            List.of(),
            EngineEnvironment.of(EngineClock.SYSTEM),
            new EngineTokens(EngineClock.SYSTEM, SETTINGS, new Random(1)),
            null); // not used here

    @AfterEach
    void close() {
        running.beginClose();
    }

    @Test
    void failsItsCallersAndIsServedByAnotherObject() {
        Waiter waiting = joined(REQUEST);
        Waiter trying = joined(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        KeyLock failed = waiting.lock;
        fail(failed);
        Waiter next = joined(REQUEST);

        assertThat(List.of(waiting, trying))
                .allSatisfy(caller -> assertThat(caller.outcome.join()).isInstanceOf(Outcome.Failed.class));
        Sent<AcquireCommand, AcquireResult> another = backend.nextAcquire();
        another.answer().complete(contended(Duration.ofSeconds(20)));
        assertThat(next.lock).isNotSameAs(failed);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        assertThat(backend.nextRelease().command().token())
                .as("given back")
                .isEqualTo(attempt.command().token());
        assertThat(next.outcome).isNotDone();
    }

    @Test
    void releasesAHoldOfAClosedKeyAndHandsItToNobody() {
        Handle held = held();
        Waiter behind = joined(REQUEST);
        fail(held.hold.lock);
        Waiter next = joined(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().token()).isNotEqualTo(held.hold.grant.token);

        assertThat(behind.outcome.join()).isInstanceOf(Outcome.Failed.class);
        assertThat(held.isHeld()).isTrue();
        CompletableFuture<ReleaseOutcome> releasing = held.beginRelease();
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().token()).isEqualTo(held.hold.grant.token);
        assertThat(next.outcome).isNotDone();
        release.answer().complete(new ReleaseResult.Released(0));
        assertThat(releasing).isCompletedWithValue(ReleaseOutcome.RELEASED);
        assertThat(running.size()).isZero();
    }

    @Test
    void doesNotRenewAHoldOfAClosedKey() {
        Handle held = held();
        fail(held.hold.lock);
        assertThat(joined(REQUEST.withoutWaiting()).lock).isNotSameAs(held.hold.lock);
        running.look(held.hold.lock);

        assertThat(held.hold.isRenewed()).isFalse();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void disturbsNoOtherKey() {
        LockRequest other = LockRequest.of("another").waitingUpTo(Duration.ofHours(1));
        Waiter sleeping = joined(other);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        fail(joined(REQUEST).lock);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertThat(sleeping.outcome.join()).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aStepThatFailsStopsNoOther() {
        KeyLock lock = running.keyLock(KEY);
        CompletableFuture<Void> other = new CompletableFuture<>();
        running.run(lock, (todo, now) -> {
            todo.add(() -> {
                throw new OutOfMemoryError("planted");
            });
            todo.add(() -> other.complete(null));
        });

        assertThat(other).isCompleted();
        assertThat(joined(REQUEST).lock).isNotSameAs(lock);
    }

    @Test
    void sleepsBesideALockOfManyCenturies() {
        Waiter first = joined(REQUEST);
        for (boolean isKept : List.of(true, false)) {
            AcquireResult.Contended far =
                    new AcquireResult.Contended(Optional.of(CENTURIES), Waiting.NEW, Optional.empty(), isKept);
            Obstacle seen = Obstacle.of(far, 0);

            assertThat(running.backoff(first, 1, 0, seen)).isPositive();
            assertThat(seen.after(1).remaining()).isPresent();
        }
    }

    private static void fail(KeyLock lock) {
        assertThatThrownBy(() -> lock.running.run(lock, (todo, now) -> {
                    throw new OutOfMemoryError("planted");
                }))
                .isInstanceOf(OutOfMemoryError.class);
    }

    private Waiter joined(LockRequest request) {
        Waiter caller = new Waiter(
                running.keyLock(request.keys().get(0)),
                ResolvedRequest.of(request, SETTINGS),
                HoldOwner.HANDLE,
                running.clock.nanos());
        running.join(caller);
        return caller;
    }

    private Handle held() {
        Waiter owner = joined(REQUEST);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        Hold hold = ((Outcome.Granted) owner.outcome.join()).hold();
        Handle handle = new Handle(hold, null);
        hold.lock.announce(hold, owner, handle);
        assertThat(hold.lock.take(hold, owner, handle)).isTrue();
        return handle;
    }

    private static AcquireResult contended(Duration rest) {
        return new AcquireResult.Contended(Optional.of(rest), Waiting.NEW);
    }
}
