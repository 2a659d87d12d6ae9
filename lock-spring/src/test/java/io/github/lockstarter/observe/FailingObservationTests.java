package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.observe.LockObservation.KeyDisplay;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Observing a lock must neither keep it nor reveal its key. */
class FailingObservationTests {

    private static final LockRequest REQUEST = LockRequest.of("order:42").named("ship-order");

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<String> spans = new ArrayList<>();
    private final LocalLockBackend backend = new LocalLockBackend();
    private final LockEngine engine = new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);

    /** A handler that throws may leave a scope on this thread. */
    @AfterEach
    void close() {
        registry.setCurrentObservationScope(null);
        engine.close();
        backend.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"onStart", "onStop", "onScopeOpened", "onScopeClosed", "onEvent", "onError"})
    void aHandlerThatThrowsLeavesNoLockHeld(String method) {
        registry.observationConfig().observationHandler(throwing(method));
        useInEachWay();
    }

    @ParameterizedTest
    @ValueSource(strings = {"distributed.lock.acquisition", "distributed.lock.section"})
    void aFilterThatThrowsLeavesNoLockHeld(String observation) {
        registry.observationConfig().observationHandler(context -> true);
        registry.observationConfig()
                .observationFilter(context -> refused(context, context.getName().equals(observation)));
        useInEachWay();
    }

    @Test
    void aFilterThatThrowsDoesNotHideTheFailureOfABody() {
        registry.observationConfig().observationHandler(context -> true);
        AtomicBoolean isBroken = new AtomicBoolean();
        registry.observationConfig().observationFilter(context -> refused(context, isBroken.get()));
        LockTemplate locks = template(KeyDisplay.HASHED);
        IllegalArgumentException failure = new IllegalArgumentException("order rejected");

        assertThatThrownBy(() -> locks.execute(REQUEST, () -> {
                    isBroken.set(true);
                    throw failure;
                }))
                .isSameAs(failure)
                .satisfies(
                        same -> assertThat(same.getSuppressed()).singleElement().satisfies(broken -> assertThat(broken)
                                .hasMessage("broken filter")));
        assertThat(engine.heldLocks().size()).isZero();
    }

    private static Observation.Context refused(Observation.Context context, boolean broken) {
        if (broken) {
            throw new IllegalStateException("broken filter");
        }
        return context;
    }

    private void useInEachWay() {
        LockSource source = new LockObservations(registry, KeyDisplay.HASHED).around(engine);
        LockTemplate locks = template(KeyDisplay.HASHED);
        ignoringFailure(() -> source.acquire(REQUEST).close());
        ignoringFailure(() -> source.acquire(REQUEST).release());
        ignoringFailure(() -> source.tryAcquire(REQUEST).orElseThrow().close());
        ignoringFailure(() -> source.acquireAsync(REQUEST)
                .get(Patience.SECONDS, TimeUnit.SECONDS)
                .close());
        ignoringFailure(() -> locks.execute(REQUEST, () -> {}));
        ignoringFailure(() -> locks.executeAsync(REQUEST, () -> CompletableFuture.completedFuture("done"))
                .get(Patience.SECONDS, TimeUnit.SECONDS));
        await().until(() -> engine.heldLocks().size() == 0);
    }

    private LockTemplate template(KeyDisplay keys) {
        LockObservations observations = new LockObservations(registry, keys);
        return new DecoratedLockTemplate(engine, List.of(observations), UnaryOperator.identity());
    }

    private static void ignoringFailure(ThrowingCallable use) {
        Throwable failure = catchThrowable(use);
        assertThat(failure).satisfiesAnyOf(none -> assertThat(none).isNull(), known -> assertThat(known)
                .hasStackTraceContaining("broken "));
    }

    @ParameterizedTest
    @EnumSource(KeyDisplay.class)
    void spansContainTheKeyOnlyWhenConfigured(KeyDisplay keys) {
        registry.observationConfig().observationHandler(recording());
        LockTemplate locks = template(keys);

        locks.execute(REQUEST, () -> {});
        backend.close();
        assertThatThrownBy(() -> locks.acquire(REQUEST)).isInstanceOf(LockBackendException.class);

        assertThat(spans).hasSize(3);
        if (keys == KeyDisplay.PLAIN) {
            assertThat(spans).allMatch(span -> span.contains("order:42"));
        } else {
            assertThat(spans)
                    .noneMatch(span -> span.contains("order:42"))
                    .anyMatch(span -> span.contains(LockBackendException.class.getName() + " (error)"));
        }
    }

    @SuppressWarnings("unchecked")
    private static ObservationHandler<Observation.Context> throwing(String method) {
        return (ObservationHandler<Observation.Context>) Proxy.newProxyInstance(
                FailingObservationTests.class.getClassLoader(),
                new Class<?>[] {ObservationHandler.class},
                (p, called, a) -> {
                    if (called.getName().equals(method)) {
                        throw new IllegalStateException("broken handler");
                    }
                    return called.getName().equals("supportsContext") ? true : null;
                });
    }

    private ObservationHandler<Observation.Context> recording() {
        return new ObservationHandler<>() {

            private final StringBuilder events = new StringBuilder();

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onEvent(Observation.Event event, Observation.Context context) {
                events.append(" event ").append(event.getName());
            }

            @Override
            public void onStop(Observation.Context context) {
                StringWriter error = new StringWriter();
                if (context.getError() != null) {
                    context.getError().printStackTrace(new PrintWriter(error));
                }
                spans.add(context.getContextualName() + " " + context.getAllKeyValues() + events + " " + error);
                events.setLength(0);
            }
        };
    }
}
