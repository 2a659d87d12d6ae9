package io.github.lockstarter.observe.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.observe.DecoratedLockTemplate;
import io.github.lockstarter.observe.tracing.LockObservationConvention.KeyDisplay;
import io.micrometer.common.KeyValues;
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
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What observing a lock must never do to it: keep it, hide how it ended, or tell its key. */
@ExtendWith(OutputCaptureExtension.class)
class ObservedHarmTests {

    private static final LockRequest REQUEST = LockRequest.of("order:42").named("ship-order");

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<String> spans = new ArrayList<>();
    private final Handle handle = new Handle();

    private LockSource around(LockSource source, LockObservationConvention convention) {
        return new LockObservations(registry, convention).around(source);
    }

    private LockSource around(LockSource source) {
        return around(source, new LockObservationConvention(KeyDisplay.HASHED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"onStart", "onStop", "onScopeOpened", "onScopeClosed", "onEvent", "onError"})
    void aHandlerThatThrowsKeepsNoLockAndHidesNoOutcome(String method) throws Exception {
        registry.observationConfig().observationHandler(throwing(method));

        for (int i = 0; i < 2; i++) {
            end(around(new Source(handle)).acquire(REQUEST));
            end(around(new Source(handle)).tryAcquire(REQUEST).orElseThrow());
            end(around(new Source(handle)).acquireAsync(REQUEST).get(5, TimeUnit.SECONDS));
            LockSource failing = around(new Source(null));
            assertThatThrownBy(() -> failing.acquire(REQUEST)).isInstanceOf(LockBackendException.class);
            assertThat(failing.acquireAsync(REQUEST))
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withCauseInstanceOf(LockBackendException.class);
            handle.outcome = ReleaseOutcome.LOST;
            LockHandle lost = around(new Source(handle)).acquire(REQUEST);
            assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
            handle.outcome = ReleaseOutcome.RELEASED;
        }

        assertThat(handle.released).isEqualTo(8);
        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    private static void end(LockHandle held) {
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aConventionThatThrowsKeepsNoLock(CapturedOutput output) throws Exception {
        registry.observationConfig().observationHandler(context -> true);
        LockObservationConvention broken = new LockObservationConvention(KeyDisplay.HASHED) {
            @Override
            public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
                throw new IllegalStateException("broken convention");
            }
        };
        LockSource observed = around(new Source(handle), broken);

        end(observed.acquire(REQUEST));
        end(observed.acquireAsync(REQUEST).get(5, TimeUnit.SECONDS));

        assertThat(handle.released).isEqualTo(2);
        assertThat(output).containsOnlyOnce("could not be started");
    }

    @Test
    void theBodyRunsAndItsScopeLeavesNothingBehindWhereAHandlerThrows() {
        registry.observationConfig().observationHandler(throwing("onScopeOpened"));
        LockObservations observations =
                new LockObservations(registry, new LockObservationConvention(KeyDisplay.HASHED));
        DecoratedLockTemplate locks = new DecoratedLockTemplate(
                new Source(handle), OnLost.THROW, List.of(observations), UnaryOperator.identity());

        assertThat(locks.<String, RuntimeException>execute(REQUEST, () -> "done"))
                .isEqualTo("done");

        assertThat(registry.getCurrentObservationScope()).isNull();
        assertThat(handle.released).isOne();
    }

    @ParameterizedTest
    @EnumSource(KeyDisplay.class)
    void noTextOfASpanHasTheKeyUnlessItIsToBeShown(KeyDisplay keys) {
        registry.observationConfig().observationHandler(recording());
        LockObservationConvention convention = new LockObservationConvention(keys);
        handle.outcome = ReleaseOutcome.LOST;

        assertThatThrownBy(around(new Source(handle), convention).acquire(REQUEST)::close)
                .isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> around(new Source(null), convention).acquire(REQUEST))
                .isInstanceOf(LockBackendException.class);

        assertThat(spans).hasSize(3);
        if (keys == KeyDisplay.PLAIN) {
            assertThat(spans).allMatch(span -> span.contains("order:42"));
        } else {
            assertThat(spans)
                    .noneMatch(span -> span.contains("order:42"))
                    .anyMatch(span -> span.contains(LockLostException.class.getName() + " (lost)"))
                    .anyMatch(span -> span.contains(LockBackendException.class.getName() + " (error)"));
        }
    }

    @Test
    void saysWhenItIsUnknownWhatBecameOfALock() {
        registry.observationConfig().observationHandler(recording());
        handle.outcome = ReleaseOutcome.UNKNOWN;

        around(new Source(handle)).acquire(REQUEST).close();

        assertThat(spans).last().asString().contains("lock.outcome=unknown").doesNotContain("Exception");
    }

    @Test
    void aLossThatOnlyTheReleaseFindsIsAnEventToo() {
        registry.observationConfig().observationHandler(recording());
        handle.outcome = ReleaseOutcome.LOST;

        assertThatThrownBy(around(new Source(handle)).acquire(REQUEST)::close)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("order:42");
        assertThat(spans).last().asString().contains("lock.outcome=lost").contains("event lock.lost");

        assertThat(around(new Source(handle)).acquire(REQUEST).release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(spans).last().asString().contains("lock.outcome=lost").containsOnlyOnce("event lock.lost");
    }

    @Test
    void throwsWhatTheHandleItselfSaysOfItsLoss() {
        registry.observationConfig().observationHandler(recording());
        handle.outcome = ReleaseOutcome.LOST;
        handle.loss = new LockLostException("order:42", "Lost lock 'order:42': the 30s lease ran out");

        assertThatThrownBy(around(new Source(handle)).acquire(REQUEST)::close).isSameAs(handle.loss);
    }

    @SuppressWarnings("unchecked")
    private static ObservationHandler<Observation.Context> throwing(String method) {
        return (ObservationHandler<Observation.Context>) Proxy.newProxyInstance(
                ObservedHarmTests.class.getClassLoader(), new Class<?>[] {ObservationHandler.class}, (p, called, a) -> {
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

    /** Grants the one handle; without one, fails as if the backend could not be asked. */
    private record Source(Handle granted) implements LockSource {

        @Override
        public LockHandle acquire(LockRequest request) {
            if (granted == null) {
                throw new LockBackendException("order:42", "Could not ask for 'order:42'", new Exception("order:42"));
            }
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
            throw new UnsupportedOperationException();
        }
    }

    /** Ends as it is told. */
    private static final class Handle implements LockHandle {

        private ReleaseOutcome outcome = ReleaseOutcome.RELEASED;
        private LockLostException loss;
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
            return loss == null ? HoldState.HELD : HoldState.LOST;
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public void ensureHeld() {
            if (loss != null) {
                throw loss;
            }
        }

        @Override
        public void extend(LockRequest terms) {}

        @Override
        public void onLost(Runnable callback) {}

        @Override
        public ReleaseOutcome release() {
            released++;
            return outcome;
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
            if (release() == ReleaseOutcome.LOST) {
                throw new LockLostException("order:42", "Lost lock 'order:42'");
            }
        }
    }
}
