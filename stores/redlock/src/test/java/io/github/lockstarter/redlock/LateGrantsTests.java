package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which of five simulated nodes have a token, and which have it no longer. */
class LateGrantsTests {

    private static final String KEY = "order:42";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMillis(300);

    private final SimWorld world = new SimWorld(42);
    private final List<SimNode> nodes = Stream.generate(() -> new SimNode(world, LEASE.multipliedBy(2), true))
            .limit(5)
            .toList();
    private final List<SimLink> links = newLinks();
    private final RedlockBackend backend = newBackend(links);
    private final LockToken token = new LockToken("a", 1);
    private final LockToken other = new LockToken("b", 1);

    private List<SimLink> newLinks() {
        return nodes.stream().map(node -> new SimLink(world, node, 0, true)).toList();
    }

    private RedlockBackend newBackend(List<SimLink> links) {
        return new RedlockBackend(links, LEASE, world::nanos);
    }

    private CompletionStage<AcquireResult> acquire(LockToken asking) {
        return backend.attemptAcquire(new AcquireCommand(KEY, asking, LEASE, 0, 1, Optional.empty()));
    }

    private AcquireResult acquired(LockToken asking) {
        return answer(acquire(asking));
    }

    private <R> R answer(CompletionStage<R> stage) {
        world.run(SOON);
        return stage.toCompletableFuture().join();
    }

    private RenewResult renewed(long fencingToken) {
        return answer(backend.renewLeases(List.of(new RenewCommand(KEY, token, LEASE, fencingToken, 0)))
                .get(0));
    }

    private long having(LockToken asked) {
        return nodes.stream().filter(node -> node.has(asked)).count();
    }

    private long hold() {
        return granted(acquired(token));
    }

    private static long granted(AcquireResult result) {
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return ((AcquireResult.Granted) result).fencingToken();
    }

    @Test
    void acquiresAndReleasesOnAllNodes() {
        long fencingToken = hold();
        assertThat(having(token)).isEqualTo(5);

        assertThat(answer(backend.releaseToken(new ReleaseCommand(KEY, token, fencingToken))))
                .isInstanceOf(ReleaseResult.Released.class);

        assertThat(having(token)).isZero();
    }

    @Test
    void raisesTheFencingTokenOfEachNodeOnce() {
        links.forEach(SimLink::keepsTime);
        for (int i = 0; i < 20; i++) {
            int sent = commands();
            LockToken fresh = new LockToken("a", 100 + i);
            nodes.get(0).setClock(Duration.ofSeconds(1));
            long fencingToken = granted(acquired(fresh));
            assertThat(commands() - sent).isLessThanOrEqualTo(5 + 4);
            answer(backend.releaseToken(new ReleaseCommand(KEY, fresh, fencingToken)));
        }
    }

    private int commands() {
        return links.stream().mapToInt(link -> link.commands).sum();
    }

    @Test
    void freesTheVotesOfAMinorityAtOnce() {
        nodes.get(0).up = false;
        nodes.get(1).up = false;
        hold();
        nodes.get(0).up = true;
        nodes.get(1).up = true;

        assertThat(acquired(other)).isInstanceOf(AcquireResult.Contended.class);

        assertThat(having(other)).isZero();
        assertThat(having(token)).isEqualTo(3);
    }

    @Test
    void withdrawingAnUnansweredAttemptFreesItOnAllNodes() {
        for (int i = 0; i < 200; i++) {
            LockToken withdrawn = new LockToken("a", 100 + i);
            acquire(withdrawn);
            world.run(Duration.ofNanos(world.upTo(4_000_000)));
            backend.releaseToken(ReleaseCommand.endOfWait(KEY, withdrawn));
            world.run(SOON);

            assertThat(having(withdrawn)).isZero();
        }
    }

    @Test
    void freesTheLockOnAFailedNodeWhenItAnswersAgain() {
        long fencingToken = hold();
        nodes.get(0).up = false;
        answer(backend.releaseToken(new ReleaseCommand(KEY, token, fencingToken)));
        assertThat(having(token)).isEqualTo(1);
        nodes.get(0).up = true;

        acquired(other);

        assertThat(having(token)).isZero();
    }

    @Test
    void renewalStoresTheLockOnANodeThatFailedAtTheGrant() {
        nodes.get(0).up = false;
        long fencingToken = hold();
        assertThat(having(token)).isEqualTo(4);
        nodes.get(0).up = true;

        assertThat(renewed(fencingToken)).isInstanceOf(RenewResult.Renewed.class);

        assertThat(having(token)).isEqualTo(5);
    }

    @Test
    void storesNothingOnANodeOnceTheLockIsReleased() {
        links.forEach(SimLink::keepsTime);
        for (int i = 0; i < 200; i++) {
            LockToken fresh = new LockToken("a", 100 + i);
            nodes.get(0).up = false;
            long fencingToken = granted(acquired(fresh));
            nodes.get(0).up = true;
            backend.renewLeases(List.of(new RenewCommand(KEY, fresh, LEASE, fencingToken, 0)));
            world.run(Duration.ofNanos(world.upTo(3_000_000)));
            backend.releaseToken(new ReleaseCommand(KEY, fresh, fencingToken));
            world.run(SOON);

            assertThat(having(fresh)).isZero();
        }
    }

    /**
     * The node had refused, and was notified, without an answer, that the winner no longer waits. After the other
     * owner's lease, a renewal gets the lock there, so the node becomes one of the three that the holder relies on.
     */
    @Test
    void keepsTheLockOnANodeWhoseQueueItLeftWithoutAnAnswer() {
        nodes.get(3).acquire(new AcquireCommand(KEY, other, Duration.ofSeconds(5), 0, 1, Optional.empty()));
        links.get(4).cut = true;
        links.get(3).loses(ReleaseResult.class);
        Optional<Waiting> waiting = Optional.of(new Waiting(Waiting.NEW, LEASE));
        AcquireResult granted = answer(backend.attemptAcquire(new AcquireCommand(KEY, token, LEASE, 0, 1, waiting)));
        assertThat(granted).isInstanceOf(AcquireResult.Granted.class);
        long fencingToken = ((AcquireResult.Granted) granted).fencingToken();

        world.run(Duration.ofSeconds(10));
        assertThat(renewed(fencingToken)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(nodes.get(3).has(token)).isTrue();

        world.run(Duration.ofSeconds(10));
        links.get(3).losesNone();
        links.get(2).cut = true;
        assertThat(renewed(fencingToken)).isInstanceOf(RenewResult.Renewed.class);

        world.run(Duration.ofSeconds(20));
        assertThat(answer(newBackend(newLinks())
                        .attemptAcquire(new AcquireCommand(KEY, new LockToken("b", 2), LEASE, 0, 1, Optional.empty()))))
                .isInstanceOf(AcquireResult.Contended.class);
        assertThat(having(token)).isEqualTo(3);
    }

    @Test
    void aLockThatAQuorumHasForgottenIsLost() {
        long fencingToken = hold();
        nodes.subList(0, 3).forEach(node -> node.release(new ReleaseCommand(KEY, token, 0)));

        assertThat(renewed(fencingToken)).isInstanceOf(RenewResult.NotHeld.class);

        world.run(SOON);
        assertThat(having(token)).isZero();
    }

    @Test
    void reportsUnknownWhenNoQuorumAnswers() {
        long fencingToken = hold();
        nodes.subList(0, 3).forEach(node -> node.up = false);

        assertThat(renewed(fencingToken)).isInstanceOf(RenewResult.Unknown.class);
        assertThat(answer(backend.releaseToken(new ReleaseCommand(KEY, token, fencingToken))))
                .isInstanceOf(ReleaseResult.Unknown.class);
    }
}
