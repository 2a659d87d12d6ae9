package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.Vote;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * One of five simulated nodes executes last what the others have answered. Once the hold is over, it is freed there as soon
 * as the answer comes, or cannot come any more; as long as it is not over, it is left alone.
 */
class RedlockLateAnswersTests {

    private static final String KEY = "order:42";
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Enough for an answer that is not overtaken, and far less than {@link SimLink#TIMEOUT}. */
    private static final Duration ROUND_TRIP = Duration.ofMillis(5);

    private static final Duration AFTER_THE_TIMEOUT = SimLink.TIMEOUT.multipliedBy(4);

    private final SimWorld world = new SimWorld(7);
    private final List<SimNode> nodes = Stream.generate(() -> new SimNode(world, LEASE.multipliedBy(2), true))
            .limit(5)
            .toList();
    private final List<SimLink> links = newLinks();
    private final RedlockBackend backend = newBackend(links);
    private final LockToken token = new LockToken("a", 1);
    private final LockToken successor = new LockToken("b", 1);
    private final SimNode last = nodes.get(4);
    private final SimLink slow = links.get(4);

    private List<SimLink> newLinks() {
        return nodes.stream()
                .map(node -> new SimLink(world, node, 0, true).keepsTime())
                .toList();
    }

    private RedlockBackend newBackend(List<SimLink> some) {
        return new RedlockBackend(some, new RedlockSettings(SimLink.TIMEOUT, LEASE), world::nanos);
    }

    private <R> R answered(CompletionStage<R> stage) {
        world.run(ROUND_TRIP);
        return stage.toCompletableFuture().join();
    }

    private static CompletionStage<AcquireResult> acquires(RedlockBackend asked, LockToken asking) {
        return asked.acquire(new AcquireCommand(KEY, asking, LEASE, 0, 1, Optional.empty()));
    }

    private long granted(CompletionStage<AcquireResult> acquiring) {
        AcquireResult result = answered(acquiring);
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return ((AcquireResult.Granted) result).fencingToken();
    }

    private void renews(long fencingToken) {
        RenewCommand command = new RenewCommand(KEY, token, LEASE, fencingToken);
        assertThat(answered(backend.renew(List.of(command)).get(0))).isInstanceOf(RenewResult.Renewed.class);
    }

    private void releases(long fencingToken) {
        assertThat(answered(backend.release(new ReleaseCommand(KEY, token, fencingToken))))
                .isInstanceOf(ReleaseResult.Released.class);
        assertThat(having(token)).isZero();
    }

    /** Executed behind the release, as is seen before anybody can know it. */
    private void arrives() {
        slow.arrives();
        assertThat(last.has(token)).isTrue();
    }

    private long having(LockToken asked) {
        return nodes.stream().filter(node -> node.has(asked)).count();
    }

    @Test
    void freesAVoteThatIsCastBehindTheRelease() {
        slow.overtakes(Vote.class);
        releases(granted(acquires(backend, token)));
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    @Test
    void freesAVoteThatIsCastBehindTheReleaseAndNeverTold() {
        slow.overtakes(Vote.class);
        slow.loses(Vote.class);
        releases(granted(acquires(backend, token)));
        arrives();

        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(token)).isZero();
    }

    /** The first node votes first and counts ahead, so that the others are asked again; with two of them there are enough. */
    @Test
    void freesARaiseThatIsExecutedBehindTheRelease() {
        nodes.get(0).setClock(Duration.ofSeconds(1));
        List<SimLink> others = links.subList(1, 5);
        others.forEach(link -> link.overtakes(Vote.class));
        CompletionStage<AcquireResult> acquiring = acquires(backend, token);
        world.run(ROUND_TRIP);
        others.forEach(SimLink::arrives);
        others.forEach(link -> link.overtakes(AcquireResult.class));
        world.run(ROUND_TRIP);
        others.subList(0, 2).forEach(SimLink::arrives);
        releases(granted(acquiring));
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    @Test
    void freesAnAttemptOfARenewalThatIsExecutedBehindTheRelease() {
        slow.cut = true;
        long fencingToken = granted(acquires(backend, token));
        slow.cut = false;
        slow.overtakes(AcquireResult.class);
        renews(fencingToken);
        releases(fencingToken);
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    /** The node recovers, and gives the lock back to whoever says it is its own. */
    @Test
    void freesARenewalThatBringsTheLockBackBehindTheRelease() {
        long fencingToken = granted(acquires(backend, token));
        last.restartEmpty();
        slow.overtakes(RenewResult.class);
        renews(fencingToken);
        releases(fencingToken);
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    /** What was lost is over, too, though its holder does not know it yet, and releases nothing. */
    @Test
    void freesAVoteThatIsCastBehindARenewalThatFoundTheLockLost() {
        slow.overtakes(Vote.class);
        long fencingToken = granted(acquires(backend, token));
        nodes.subList(0, 3).forEach(node -> node.release(new ReleaseCommand(KEY, token, 0)));
        RenewCommand renewal = new RenewCommand(KEY, token, LEASE, fencingToken);
        assertThat(answered(backend.renew(List.of(renewal)).get(0))).isInstanceOf(RenewResult.NotHeld.class);
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    @Test
    void leavesAHoldAloneWhoseLastVoteIsLate() {
        slow.overtakes(Vote.class);
        granted(acquires(backend, token));
        arrives();

        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(token)).isEqualTo(5);
    }

    @Test
    void leavesAHoldAloneWhoseLastVoteIsNeverTold() {
        slow.overtakes(Vote.class);
        slow.loses(Vote.class);
        long fencingToken = granted(acquires(backend, token));
        arrives();

        world.run(AFTER_THE_TIMEOUT);
        assertThat(having(token)).isEqualTo(5);
        renews(fencingToken);
        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(token)).isEqualTo(5);
    }

    @Test
    void leavesTheNextOwnerAloneWhereAVoteIsNeverTold() {
        slow.overtakes(Vote.class);
        slow.loses(Vote.class);
        releases(granted(acquires(backend, token)));
        granted(acquires(newBackend(newLinks()), successor));
        slow.arrives();

        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(successor)).isEqualTo(5);
    }
}
