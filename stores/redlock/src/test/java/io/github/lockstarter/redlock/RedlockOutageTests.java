package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Four nodes, of which two do not answer: too few to grant a lock, and enough to say that a token has none. */
class RedlockOutageTests {

    private static final class SilentNode extends ScriptedNode {

        private volatile boolean mute = true;

        SilentNode(String name) {
            super(name);
        }

        @Override
        public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
            return mute
                    ? CompletableFuture.completedFuture(
                            new AcquireResult.Unknown("no answer", new TimeoutException("no answer")))
                    : super.attemptAcquire(command);
        }

        @Override
        public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
            return mute
                    ? CompletableFuture.completedFuture(
                            new ReleaseResult.Unknown("no answer", new TimeoutException("no answer")))
                    : super.releaseToken(command);
        }
    }

    private final List<StoreEvent> events = new CopyOnWriteArrayList<>();
    private final List<SilentNode> silent = List.of(new SilentNode("c"), new SilentNode("d"));
    private final RedlockBackend backend = new RedlockBackend(
            List.of(new ScriptedNode("a"), new ScriptedNode("b"), silent.get(0), silent.get(1)),
            Duration.ofSeconds(30));

    private final LockListener listener = new LockListener() {
        @Override
        public boolean returnsAtOnce() {
            return true;
        }

        @Override
        public void onEvent(LockEvent event) {}

        @Override
        public void onStoreEvent(StoreEvent event) {
            events.add(event);
        }
    };

    @Test
    void silentNodesAreAnOutageThatEndsWithTheFirstAnswer() {
        try (LockEngine engine =
                new LockEngine(backend, EngineSettings.DEFAULTS, List.of(listener), EngineClock.SYSTEM)) {
            for (int i = 0; i < 3; i++) {
                assertThat(acquires(engine)).isFalse();
            }
            assertThat(ofQuorum())
                    .containsExactly(new StoreEvent.Unreachable(
                            "a quorum of a, b, c, d", Scope.ALL, "Only 2 of 4 nodes answer, and 3 are needed"));
            assertThat(events).hasSize(3);

            silent.get(0).mute = false;
            assertThat(acquires(engine)).isTrue();
            assertThat(ofQuorum()).hasSize(2).last().isInstanceOf(StoreEvent.Reachable.class);
        }
    }

    @Test
    void anOutageFromBeforeARestartEndsWithTheFirstAnswer() {
        try (LockEngine engine =
                new LockEngine(backend, EngineSettings.DEFAULTS, List.of(listener), EngineClock.SYSTEM)) {
            assertThat(acquires(engine)).isFalse();
            assertThat(ofQuorum()).hasSize(1);
            engine.stop();
            silent.forEach(node -> node.mute = false);

            engine.start();

            assertThat(acquires(engine)).isTrue();
            assertThat(ofQuorum()).hasSize(2).last().isInstanceOf(StoreEvent.Reachable.class);
        }
    }

    @Test
    void answersToAHealthCheckEndTheOutagesOfNodes() {
        try (LockEngine engine =
                new LockEngine(backend, EngineSettings.DEFAULTS, List.of(listener), EngineClock.SYSTEM)) {
            assertThat(acquires(engine)).isFalse();
            engine.admin().storeState().join();
            assertThat(events)
                    .filteredOn(StoreEvent.Reachable.class::isInstance)
                    .hasSize(3);
        }
    }

    private List<StoreEvent> ofQuorum() {
        return events.stream().filter(event -> event.scope() == Scope.ALL).toList();
    }

    private static boolean acquires(LockEngine engine) {
        try {
            return engine.tryAcquire(LockRequest.of("order:42")).isPresent();
        } catch (LockBackendException noAnswer) {
            return false;
        }
    }
}
