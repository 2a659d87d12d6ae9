package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Signals of five simulated nodes that an instance receives. */
class RedlockSignalsTests {

    private static final String KEY = "order:42";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration SOON = SimLink.TIMEOUT.dividedBy(5);

    private final SimWorld world = new SimWorld(42);
    private final List<SimLink> links = Stream.generate(
                    () -> new SimLink(world, new SimNode(world, LEASE.multipliedBy(2), true), 0, true))
            .limit(5)
            .toList();
    private final RedlockBackend backend = new RedlockBackend(links, LEASE, world::nanos);
    private final List<String> received = new ArrayList<>();

    private <R> R answer(CompletionStage<R> stage) {
        world.run(SOON);
        return stage.toCompletableFuture().join();
    }

    private AcquireResult acquired(LockToken token) {
        return answer(backend.attemptAcquire(waiting(token)));
    }

    private static AcquireCommand waiting(LockToken token) {
        return new AcquireCommand(KEY, token, LEASE, 0, 1, Optional.of(new Waiting(Waiting.NEW, LEASE)));
    }

    private void listen() {
        backend.listen("a", new SignalListener() {
            @Override
            public void onSignal(String key, int slot) {
                received.add(key);
            }

            @Override
            public void onWanted(String key) {}

            @Override
            public void onRevoked(String key, String fingerprint) {}

            @Override
            public void onMailboxRestored() {}
        });
    }

    @Test
    void signalsAnInstanceThatReleasedAndWaitsAgain() {
        listen();
        LockToken other = new LockToken("b", 1);
        LockToken token = new LockToken("a", 2);
        assertThat(acquired(other)).isInstanceOf(AcquireResult.Granted.class);
        assertThat(acquired(new LockToken("a", 1))).isInstanceOf(AcquireResult.Contended.class);
        answer(backend.releaseToken(new ReleaseCommand(KEY, other, 0)));
        links.forEach(link -> link.signal(KEY));
        assertThat(acquired(token)).isInstanceOf(AcquireResult.Granted.class);
        assertThat(received).containsExactly(KEY);

        answer(backend.releaseToken(
                new ReleaseCommand(KEY, token, 0, new Wait.GoesOn(LEASE), Duration.ZERO, Slots.ONLY)));
        links.forEach(link -> link.signal(KEY));

        assertThat(received).containsExactly(KEY, KEY);
    }

    /** One node signals a release, and another one has not answered yet that the lock has another owner. */
    @Test
    void passesOnASignalDuringTheFirstAttempt() {
        listen();
        assertThat(acquired(new LockToken("b", 1))).isInstanceOf(AcquireResult.Granted.class);
        CompletionStage<AcquireResult> attempt = backend.attemptAcquire(waiting(new LockToken("a", 1)));

        links.get(0).signal(KEY);

        assertThat(received).containsExactly(KEY);
        assertThat(answer(attempt)).isInstanceOf(AcquireResult.Contended.class);
    }

    @Test
    void passesOnOneSignalPerAttempt() {
        listen();
        assertThat(acquired(new LockToken("b", 1))).isInstanceOf(AcquireResult.Granted.class);
        assertThat(acquired(new LockToken("a", 1))).isInstanceOf(AcquireResult.Contended.class);
        links.forEach(link -> link.signal(KEY));
        assertThat(received).containsExactly(KEY);

        assertThat(acquired(new LockToken("a", 2))).isInstanceOf(AcquireResult.Contended.class);
        links.forEach(link -> link.signal(KEY));

        assertThat(received).containsExactly(KEY, KEY);
    }

    @Test
    void dropsSignalsAfterAGrant() {
        listen();
        assertThat(acquired(new LockToken("a", 1))).isInstanceOf(AcquireResult.Granted.class);

        links.forEach(link -> link.signal(KEY));

        assertThat(received).isEmpty();
    }

    @Test
    void dropsSignalsAfterTheEndOfTheWait() {
        listen();
        LockToken token = new LockToken("a", 1);
        assertThat(acquired(new LockToken("b", 1))).isInstanceOf(AcquireResult.Granted.class);
        assertThat(acquired(token)).isInstanceOf(AcquireResult.Contended.class);
        answer(backend.releaseToken(ReleaseCommand.endOfWait(KEY, token)));

        links.forEach(link -> link.signal(KEY));

        assertThat(received).isEmpty();
    }

    /** No node has queued the instance. */
    @Test
    void dropsSignalsAfterAFirstAttemptWithoutAnswers() {
        listen();
        links.forEach(link -> link.cut = true);
        CompletionStage<AcquireResult> attempt = backend.attemptAcquire(waiting(new LockToken("a", 1)));
        world.run(SimLink.TIMEOUT);
        assertThat(attempt).isCompletedWithValueMatching(AcquireResult.Unknown.class::isInstance);

        links.forEach(link -> link.signal(KEY));

        assertThat(received).isEmpty();
    }

    @Test
    void signalsAnInstanceThatWaitsAgainAfterALateVote() {
        listen();
        LockToken token = new LockToken("a", 1);
        links.get(4).overtakes(Vote.class);
        assertThat(acquired(token)).isInstanceOf(AcquireResult.Granted.class);
        answer(backend.releaseToken(
                new ReleaseCommand(KEY, token, 0, new Wait.GoesOn(LEASE), Duration.ZERO, Slots.ONLY)));
        links.get(4).arrives();
        world.run(SOON);

        links.forEach(link -> link.signal(KEY));

        assertThat(received).containsExactly(KEY);
    }
}
