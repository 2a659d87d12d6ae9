package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers whose threads died during their attempt, so that no call of theirs ends the wait. */
class DeadCallerTests {

    private static final String KEY = "order:42";
    private static final LockRequest REQUEST = LockRequest.of(KEY);
    private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS;

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
    void releasesTheGrantOfADeadTryOnce() {
        giveBack(orphanedAttempt(REQUEST.withoutWaiting()));

        assertThat(backend.isQuiet()).as("asked for once").isTrue();
        assertThat(running.known(KEY)).isNull();
    }

    @Test
    void releasesTheGrantOfADeadWaiterOnce() {
        giveBack(orphanedAttempt(REQUEST));

        assertThat(backend.isQuiet()).as("asked for once").isTrue();
        assertThat(running.known(KEY)).isNull();
    }

    @Test
    void theNextWaiterMakesTheNextAttempt() {
        Sent<AcquireCommand, AcquireResult> attempt = orphanedAttempt(REQUEST);
        Waiter next =
                joined(REQUEST.leasedFor(Duration.ofSeconds(10))); // another lease, so it gets no grant of the first
        giveBack(attempt);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));

        assertThat(next.outcome.getNow(null)).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void theNextCallCarriesOutTheTasksThatADeadThreadLeft() {
        AtomicBoolean isCarriedOut = new AtomicBoolean();
        assertThatThrownBy(() -> running.run(todo -> {
                    todo.add(() -> {
                        throw new OutOfMemoryError("planted");
                    });
                    todo.add(() -> isCarriedOut.set(true));
                }))
                .isInstanceOf(OutOfMemoryError.class);

        running.run(todo -> {});

        await().untilTrue(isCarriedOut);
    }

    private Waiter joined(LockRequest request) {
        Waiter caller = new Waiter(
                running.keyLock(KEY),
                ResolvedRequest.of(request, SETTINGS),
                HoldOwner.HANDLE,
                running.now().nanos());
        running.join(caller, running.now());
        return caller;
    }

    private Sent<AcquireCommand, AcquireResult> orphanedAttempt(LockRequest request) {
        joined(request).isOrphaned = true;
        return backend.nextAcquire();
    }

    private void giveBack(Sent<AcquireCommand, AcquireResult> attempt) {
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().token()).isEqualTo(attempt.command().token());
        release.answer().complete(new ReleaseResult.Released(0));
    }
}
