package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.observe.LockObservation.KeyDisplay;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Observations of a real engine, with a second one as another instance of the application. */
class LockObservationsTests {

    private static final LockRequest REQUEST = LockRequest.of("order:42").named("ship-order");
    private static final String ACQUISITION = "distributed.lock.acquisition";
    private static final String SECTION = "distributed.lock.section";

    private final TestObservationRegistry registry = TestObservationRegistry.create();
    private final LocalLockBackend backend = new LocalLockBackend();
    private final LockEngine engine = newEngine();
    private final LockEngine other = newEngine();
    private final DecoratedLockTemplate locks = template(registry, KeyDisplay.HASHED);

    @AfterEach
    void close() {
        engine.close();
        other.close();
        backend.close();
    }

    private LockEngine newEngine() {
        return new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);
    }

    private DecoratedLockTemplate template(ObservationRegistry observed, KeyDisplay keys) {
        return new DecoratedLockTemplate(
                engine, List.of(new LockObservations(observed, keys)), UnaryOperator.identity());
    }

    @Test
    void observesTheAcquisitionAndTheSectionSideBySide() {
        Observation request = Observation.start("request", registry);
        try (Observation.Scope scope = request.openScope()) {
            assertThat(scope.getCurrentObservation()).isSameAs(request);
            String inside = locks.execute(REQUEST, () -> {
                assertThat(registry.getCurrentObservation().getContext().getName())
                        .isEqualTo(SECTION);
                return "done";
            });
            assertThat(inside).isEqualTo("done");
            assertThat(registry.getCurrentObservation()).isSameAs(request);
        }
        request.stop();

        observed(ACQUISITION)
                .hasBeenStopped()
                .hasLowCardinalityKeyValue("lock.name", "ship-order")
                .hasLowCardinalityKeyValue("lock.outcome", "acquired")
                .hasContextualNameEqualTo("acquire ship-order")
                .hasParentObservationEqualTo(request)
                .doesNotHaveError();
        observed(SECTION)
                .hasBeenStopped()
                .hasLowCardinalityKeyValue("lock.outcome", "held")
                .hasHighCardinalityKeyValueWithKey("lock.fencing_token")
                .hasParentObservationEqualTo(request)
                .doesNotHaveError();
    }

    @Test
    void observationsDuringABlockingAcquisitionAreItsChildren() {
        Observation request = Observation.start("request", registry);
        List<String> current = new ArrayList<>();
        LockListener listener = event ->
                current.add(registry.getCurrentObservation().getContext().getName());
        try (LockEngine listened =
                        new LockEngine(backend, EngineSettings.DEFAULTS, List.of(listener), EngineClock.SYSTEM);
                Observation.Scope scope = request.openScope()) {
            LockHandle handle = new LockObservations(registry, KeyDisplay.NONE)
                    .around(listened)
                    .acquire(REQUEST);
            assertThat(current).containsExactly(ACQUISITION);
            assertThat(registry.getCurrentObservationScope()).isSameAs(scope);
            handle.release();
        }
        request.stop();
    }

    @Test
    void showsKeysAsConfigured() {
        locks.execute(REQUEST, () -> {});
        observed(SECTION).hasHighCardinalityKeyValue("lock.key", "da68380de022bac7");
        registry.clear();

        template(registry, KeyDisplay.PLAIN).execute(REQUEST, () -> {});
        observed(SECTION).hasHighCardinalityKeyValue("lock.key", "order:42");
        registry.clear();

        template(registry, KeyDisplay.NONE).execute(REQUEST, () -> {});
        observed(SECTION).doesNotHaveHighCardinalityKeyValueWithKey("lock.key");
    }

    @Test
    void showsWhetherALockIsReadOrWritten() {
        locks.execute(REQUEST, () -> {});
        observed(ACQUISITION).hasLowCardinalityKeyValue("lock.mode", "write");
        observed(SECTION).hasLowCardinalityKeyValue("lock.mode", "write");
        registry.clear();

        locks.execute(REQUEST.mode(LockMode.READ), () -> {});
        observed(ACQUISITION).hasLowCardinalityKeyValue("lock.mode", "read");
        observed(SECTION).hasLowCardinalityKeyValue("lock.mode", "read");
    }

    @Test
    void aContendedLockIsNotAnError() {
        LockHandle theirs = other.acquire(REQUEST);

        assertThat(locks.tryAcquire(REQUEST)).isEmpty();
        observed(ACQUISITION)
                .hasLowCardinalityKeyValue("lock.outcome", "contended")
                .doesNotHaveError();
        registry.clear();

        assertThatThrownBy(() -> locks.acquire(REQUEST.withoutWaiting())).isInstanceOf(LockNotAcquiredException.class);
        observed(ACQUISITION)
                .hasLowCardinalityKeyValue("lock.outcome", "contended")
                .doesNotHaveError();
        theirs.release();
    }

    @Test
    void aBackendFailureIsAnError() {
        backend.close();

        assertThatThrownBy(() -> locks.acquire(REQUEST)).isNotNull();

        observed(ACQUISITION).hasLowCardinalityKeyValue("lock.outcome", "error").hasError();
    }

    @Test
    void aLostLockIsAnEventOfItsSection() {
        assertThatThrownBy(() -> locks.execute(REQUEST, this::lose)).isInstanceOf(LockLostException.class);

        assertThatASectionIsLost();
    }

    /** The thread that reports the loss may do so after the end of the section. */
    @Test
    void aLossThatIsReportedLateIsAnEventOfItsSection() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        EngineEnvironment usual = EngineEnvironment.of(EngineClock.SYSTEM);
        EngineEnvironment late = new EngineEnvironment(
                usual.clock(),
                usual.newTimer(),
                usual.newLossExecutor(),
                () -> {
                    ExecutorService callbacks = Executors.newSingleThreadExecutor();
                    callbacks.execute(ended::join);
                    return callbacks;
                },
                usual.newCompletionExecutor(),
                usual.identity(),
                usual.jitter());
        try (LockEngine telling = new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), late)) {
            LockDecorator observations = new LockObservations(registry, KeyDisplay.HASHED);
            DecoratedLockTemplate template =
                    new DecoratedLockTemplate(telling, List.of(observations), UnaryOperator.identity());

            assertThatThrownBy(() -> template.execute(REQUEST, this::lose)).isInstanceOf(LockLostException.class);

            assertThatASectionIsLost();
        } finally {
            ended.complete(null);
        }
    }

    private void lose() {
        LockHandle handle = LockHandle.current().orElseThrow();
        engine.admin().revoke("order:42", handle.fencingToken()).join();
        await().until(() -> handle.state() == HoldState.LOST);
    }

    private void assertThatASectionIsLost() {
        observed(SECTION)
                .hasLowCardinalityKeyValue("lock.outcome", "lost")
                .hasEvent("lock.lost")
                .doesNotHaveError();
    }

    @Test
    void observesTheSectionUntilTheStageOfItsBodyEnds() {
        LockHandle theirs = other.acquire(REQUEST);
        CompletableFuture<String> work = new CompletableFuture<>();
        List<String> current = new CopyOnWriteArrayList<>();
        Observation request = Observation.start("request", registry);
        CompletableFuture<String> result;
        try (Observation.Scope scope = request.openScope()) {
            assertThat(scope.getCurrentObservation()).isSameAs(request);
            result = locks.executeAsync(REQUEST, () -> {
                current.add(registry.getCurrentObservation().getContext().getName());
                return work;
            });
        }
        theirs.release();
        await().until(() -> !current.isEmpty());
        assertThat(current).containsExactly(SECTION);
        observed(ACQUISITION).hasBeenStopped().hasLowCardinalityKeyValue("lock.outcome", "acquired");
        observed(SECTION).isNotStopped();

        work.complete("done");

        assertThat(result.join()).isEqualTo("done");
        observed(SECTION)
                .hasBeenStopped()
                .hasLowCardinalityKeyValue("lock.outcome", "held")
                .hasParentObservationEqualTo(request);
        request.stop();
    }

    @Test
    void observesOnlyTheAcquisitionOfALockThatCodeReleasesItself() {
        locks.acquireAsync(REQUEST).join().release();

        observed(ACQUISITION).hasBeenStopped().hasLowCardinalityKeyValue("lock.outcome", "acquired");
        TestObservationRegistryAssert.assertThat(registry).hasNumberOfObservationsWithNameEqualTo(SECTION, 0);
    }

    @Test
    void endsTheAcquisitionWhenItsFutureIsCancelled() {
        LockHandle theirs = other.acquire(REQUEST);
        CompletableFuture<LockHandle> waiting = locks.acquireAsync(REQUEST.maxWait(Duration.ofSeconds(30)));

        waiting.cancel(false);

        await().untilAsserted(() ->
                observed(ACQUISITION).hasBeenStopped().hasLowCardinalityKeyValue("lock.outcome", "interrupted"));
        assertThat(engine.admin().waiters()).isEmpty();
        theirs.release();
    }

    private TestObservationRegistryAssert.TestObservationRegistryAssertReturningObservationContextAssert observed(
            String name) {
        return TestObservationRegistryAssert.assertThat(registry)
                .hasObservationWithNameEqualTo(name)
                .that();
    }
}
