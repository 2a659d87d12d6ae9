package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One of five simulated nodes executes commands last. After the end of the hold, the lock is released there as soon as
 * the answer arrives, or can no longer arrive; before, it is left alone.
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
        return new RedlockBackend(some, LEASE, world::nanos);
    }

    private <R> R answered(CompletionStage<R> stage) {
        world.run(ROUND_TRIP);
        return stage.toCompletableFuture().join();
    }

    private static CompletionStage<AcquireResult> acquires(RedlockBackend asked, LockToken asking) {
        return asked.attemptAcquire(new AcquireCommand(KEY, asking, LEASE, 0, 1, Optional.empty()));
    }

    private long granted(CompletionStage<AcquireResult> acquiring) {
        AcquireResult result = answered(acquiring);
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return ((AcquireResult.Granted) result).fencingToken();
    }

    private void renews(long fencingToken) {
        RenewCommand command = new RenewCommand(KEY, token, LEASE, fencingToken, 0);
        assertThat(answered(backend.renewLeases(List.of(command)).get(0))).isInstanceOf(RenewResult.Renewed.class);
    }

    private void releases(long fencingToken) {
        assertThat(answered(backend.releaseToken(new ReleaseCommand(KEY, token, fencingToken))))
                .isInstanceOf(ReleaseResult.Released.class);
        assertThat(having(token)).isZero();
    }

    /** Executed after the release, before any client can know. */
    private void arrives() {
        slow.arrives();
        assertThat(last.has(token)).isTrue();
    }

    private long having(LockToken asked) {
        return nodes.stream().filter(node -> node.has(asked)).count();
    }

    /** The command that the last node executes late. */
    private enum Late {
        VOTE(Vote.class),
        RAISE(AcquireResult.class),
        ATTEMPT(AcquireResult.class),
        RENEWAL(RenewResult.class);

        private final Class<?> answers;

        Late(Class<?> answers) {
            this.answers = answers;
        }
    }

    /** A hold, and a command of this kind under way to the last node. */
    private long holds(Late late) {
        long fencingToken =
                switch (late) {
                    case VOTE -> {
                        slow.overtakes(late.answers);
                        yield granted(acquires(backend, token));
                    }
                    case RAISE -> granted(raises());
                    case ATTEMPT -> {
                        slow.cut = true;
                        long granted = granted(acquires(backend, token));
                        world.run(AFTER_THE_TIMEOUT);
                        slow.cut = false;
                        slow.overtakes(late.answers);
                        renews(granted);
                        yield granted;
                    }
                    case RENEWAL -> {
                        long granted = granted(acquires(backend, token));
                        last.restartEmpty(); // it recovers, and gives the lock back to whoever says it is its own
                        slow.overtakes(late.answers);
                        renews(granted);
                        yield granted;
                    }
                };
        assertThat(backend.underWay()).isOne();
        return fencingToken;
    }

    /** The first node votes first with a higher counter, so the others receive another attempt; two of them suffice. */
    private CompletionStage<AcquireResult> raises() {
        nodes.get(0).setClock(Duration.ofSeconds(1));
        List<SimLink> others = links.subList(1, 5);
        others.forEach(link -> link.overtakes(Vote.class));
        CompletionStage<AcquireResult> acquiring = acquires(backend, token);
        world.run(ROUND_TRIP);
        others.forEach(SimLink::arrives);
        others.forEach(link -> link.overtakes(AcquireResult.class));
        world.run(ROUND_TRIP);
        others.subList(0, 2).forEach(SimLink::arrives);
        return acquiring;
    }

    /** Regardless of the late command: once every answer has arrived or can no longer arrive, no state remains. */
    @AfterEach
    void remembersNothing() {
        world.run(AFTER_THE_TIMEOUT);
        assertThat(backend.underWay()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void freesAVoteThatIsExecutedAfterTheRelease(Late late) {
        releases(holds(late));
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void freesAnUnansweredVoteThatIsExecutedAfterTheRelease(Late late) {
        slow.loses(late.answers);
        releases(holds(late));
        arrives();

        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(token)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void keepsAHoldWithALateAnswer(Late late) {
        holds(late);
        arrives();

        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(token)).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void keepsAHoldWithALostAnswer(Late late) {
        slow.loses(late.answers);
        long fencingToken = holds(late);
        arrives();

        world.run(AFTER_THE_TIMEOUT);
        slow.losesNone();
        renews(fencingToken);
        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(token)).isEqualTo(5);
    }

    @Test
    void freesAVoteThatIsExecutedAfterTheRefusal() {
        nodes.subList(0, 3)
                .forEach(node -> node.acquire(new AcquireCommand(KEY, successor, LEASE, 0, 1, Optional.empty())));
        slow.overtakes(Vote.class);
        assertThat(answered(acquires(backend, token))).isInstanceOf(AcquireResult.Contended.class);
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    @Test
    void freesAnUnansweredVoteWhenTheAttemptIsRefused() {
        nodes.subList(0, 2)
                .forEach(node -> node.acquire(new AcquireCommand(KEY, successor, LEASE, 0, 1, Optional.empty())));
        slow.loses(Vote.class);
        CompletionStage<AcquireResult> acquiring = acquires(backend, token);
        world.run(ROUND_TRIP);
        assertThat(having(token)).isEqualTo(3);

        world.run(AFTER_THE_TIMEOUT);

        assertThat(acquiring.toCompletableFuture().join()).isInstanceOf(AcquireResult.Contended.class);
        assertThat(having(token)).isZero();
    }

    @Test
    void freesAVoteThatIsExecutedAfterTheWithdrawal() {
        slow.overtakes(Vote.class);
        CompletionStage<AcquireResult> acquiring = acquires(backend, token);
        backend.releaseToken(ReleaseCommand.endOfWait(KEY, token));
        answered(acquiring);
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    /** Otherwise the release would find the lock gone on two of three nodes, one of which has lost it. */
    @Test
    void freesNothingBeforeTheRelease() {
        List<SimLink> three = links.subList(2, 5);
        RedlockBackend ofThree = newBackend(three);
        slow.overtakes(Vote.class);
        long fencingToken = granted(acquires(ofThree, token));
        nodes.get(3).restartEmpty();
        three.get(0).beforeRelease(() -> {
            three.get(0).beforeRelease(() -> {});
            arrives();
            world.run(ROUND_TRIP);
        });

        assertThat(answered(ofThree.releaseToken(new ReleaseCommand(KEY, token, fencingToken))))
                .isInstanceOf(ReleaseResult.Released.class);
        assertThat(having(token)).isZero();
    }

    /** Released with the third vote, before the fourth and the fifth arrive. */
    @Test
    void sendsOneReleaseToNodesThatAnswerInOrder() {
        for (int i = 0; i < 100; i++) {
            LockToken fresh = new LockToken("a", 100 + i);
            acquires(backend, fresh)
                    .thenAccept(result -> backend.releaseToken(
                            new ReleaseCommand(KEY, fresh, ((AcquireResult.Granted) result).fencingToken())));
            world.run(ROUND_TRIP.multipliedBy(2));
            assertThat(having(fresh)).isZero();
        }

        assertThat(links.stream().mapToInt(link -> link.releases).sum()).isEqualTo(100 * 5);
    }

    private int commands() {
        return links.stream().mapToInt(link -> link.commands).sum();
    }

    @Test
    void reportsALossBeforeItFreesTheOtherNodes() {
        long fencingToken = granted(acquires(backend, token));
        world.run(ROUND_TRIP);
        nodes.subList(0, 3).forEach(node -> node.release(new ReleaseCommand(KEY, token, 0)));
        CompletionStage<RenewResult> renewing = backend.renewLeases(
                        List.of(new RenewCommand(KEY, token, LEASE, fencingToken, 0)))
                .get(0);
        int sent = commands();
        int[] sentWhenTold = new int[1];
        renewing.thenRun(() -> sentWhenTold[0] = commands());

        assertThat(answered(renewing)).isInstanceOf(RenewResult.NotHeld.class);

        assertThat(sentWhenTold[0]).isEqualTo(sent);
        assertThat(commands()).isEqualTo(sent + 2);
        assertThat(having(token)).isZero();
    }

    /** It says behind the release that it has not the lock. */
    @Test
    void sendsNoAttemptAfterTheRelease() {
        slow.cut = true;
        long fencingToken = granted(acquires(backend, token));
        world.run(AFTER_THE_TIMEOUT);
        slow.cut = false;
        slow.overtakes(RenewResult.class);
        renews(fencingToken);
        releases(fencingToken);
        int sent = commands();

        slow.arrives();
        world.run(AFTER_THE_TIMEOUT);

        assertThat(commands()).isEqualTo(sent);
    }

    /** A lost lock has ended too, although its holder has not detected the loss yet and releases nothing. */
    @Test
    void freesAVoteThatIsExecutedAfterARenewalFoundTheLockLost() {
        slow.overtakes(Vote.class);
        long fencingToken = granted(acquires(backend, token));
        nodes.subList(0, 3).forEach(node -> node.release(new ReleaseCommand(KEY, token, 0)));
        RenewCommand renewal = new RenewCommand(KEY, token, LEASE, fencingToken, 0);
        assertThat(answered(backend.renewLeases(List.of(renewal)).get(0))).isInstanceOf(RenewResult.NotHeld.class);
        arrives();

        world.run(ROUND_TRIP);

        assertThat(having(token)).isZero();
    }

    @Test
    void keepsTheNextOwnersLockWhenAVoteIsUnanswered() {
        slow.overtakes(Vote.class);
        slow.loses(Vote.class);
        releases(granted(acquires(backend, token)));
        granted(acquires(newBackend(newLinks()), successor));
        slow.arrives();

        world.run(AFTER_THE_TIMEOUT);

        assertThat(having(successor)).isEqualTo(5);
    }
}
