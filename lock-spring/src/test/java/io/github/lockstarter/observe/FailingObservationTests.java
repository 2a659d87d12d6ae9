package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.observe.LockObservation.KeyDisplay;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private final Handle handle = new Handle();

    /** A handler that throws may leave one on this thread. */
    @AfterEach
    void leaveScope() {
        registry.setCurrentObservationScope(null);
    }

    private LockSource around(LockSource source, KeyDisplay keys) {
        return new LockObservations(registry, keys).around(source);
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
        assertThat(handle.released).isEqualTo(handle.granted);
    }

    private static Observation.Context refused(Observation.Context context, boolean broken) {
        if (broken) {
            throw new IllegalStateException("broken filter");
        }
        return context;
    }

    private void useInEachWay() {
        LockSource source = around(new Source(handle), KeyDisplay.HASHED);
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
        assertThat(handle.released).isEqualTo(handle.granted);
    }

    private LockTemplate template(KeyDisplay keys) {
        LockObservations observations = new LockObservations(registry, keys);
        return new DecoratedLockTemplate(
                new Source(handle), OnLost.THROW, List.of(observations), UnaryOperator.identity());
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
        assertThatThrownBy(() -> around(new Source(null), keys).acquire(REQUEST))
                .isInstanceOf(LockBackendException.class);

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

    /** Grants the one handle; without one, fails like an unreachable backend. */
    private record Source(Handle granted) implements LockSource {

        @Override
        public LockHandle acquire(LockRequest request) {
            if (granted == null) {
                throw new LockBackendException("order:42", "Could not ask for 'order:42'", new Exception("order:42"));
            }
            granted.granted++;
            return granted;
        }

        @Override
        public Optional<LockHandle> tryAcquire(LockRequest request) {
            return Optional.of(acquire(request));
        }

        @Override
        public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
            try {
                return CompletableFuture.completedFuture(acquire(request));
            } catch (LockBackendException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public HeldLocks heldLocks() {
            return null; // compared with the locks of the caller's handles, of which there are none
        }
    }

    /** Counts its releases. */
    private static final class Handle implements LockHandle {

        private int granted;
        private int released;

        @Override
        public String key() {
            return "order:42";
        }

        @Override
        public HeldLocks heldBySource() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long fencingToken() {
            return 17;
        }

        @Override
        public Duration remainingLease() {
            return Duration.ZERO;
        }

        @Override
        public HoldState state() {
            return HoldState.HELD;
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public void ensureHeld() {}

        @Override
        public void extend(LockRequest terms) {}

        @Override
        public void onLost(Runnable callback) {}

        @Override
        public ReleaseOutcome release() {
            released++;
            return ReleaseOutcome.RELEASED;
        }

        @Override
        public CompletableFuture<ReleaseOutcome> closeAsync() {
            return CompletableFuture.completedFuture(release());
        }

        @Override
        public Optional<LockHandle> reenter(LockRequest request) {
            return Optional.empty();
        }

        @Override
        public void close() {
            release();
        }
    }
}
