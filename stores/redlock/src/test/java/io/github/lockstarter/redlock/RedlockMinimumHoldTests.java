package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.ReleaseResult.Kept;
import io.github.lockstarter.spi.ReleaseResult.NotHeld;
import io.github.lockstarter.spi.ReleaseResult.Released;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A minimum hold on nodes that each have a clock of their own. */
class RedlockMinimumHoldTests {

    private static final String KEY = "order:42";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINIMUM = Duration.ofSeconds(20);
    private static final LockToken TOKEN = new LockToken("a", 1);
    private static final ReleaseResult SILENCE =
            new ReleaseResult.Unknown("no answer", new IllegalStateException("slow"));

    /** Answers votes and releases as and when a test requests it. */
    private static final class Node extends ScriptedNode {

        final CompletableFuture<Vote> vote = new CompletableFuture<>();
        CompletableFuture<ReleaseResult> release = new CompletableFuture<>();
        final List<ReleaseCommand> releases = new ArrayList<>();

        Node(int number) {
            super("node-" + number);
        }

        void grants() {
            vote.complete(new Vote(new AcquireResult.Granted(100, 0), OptionalLong.empty()));
        }

        @Override
        public CompletionStage<Vote> vote(AcquireCommand command) {
            return vote;
        }

        @Override
        public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
            releases.add(command);
            return release;
        }
    }

    private final List<Node> nodes = IntStream.range(0, 5).mapToObj(Node::new).toList();
    private final RedlockBackend backend = new RedlockBackend(nodes, LEASE);

    private void acquire() {
        CompletionStage<AcquireResult> acquiring = backend.attemptAcquire(
                new AcquireCommand(KEY, TOKEN, LEASE, 0, 1, Optional.empty(), MINIMUM, 1, Optional.empty()));
        nodes.subList(0, 3).forEach(Node::grants);
        acquiring.toCompletableFuture().join();
    }

    private CompletableFuture<ReleaseResult> release() {
        return backend.releaseToken(new ReleaseCommand(KEY, TOKEN, 100, Wait.UNCHANGED, MINIMUM, Slots.ONLY))
                .toCompletableFuture();
    }

    private void answer(ReleaseResult... answers) {
        for (int i = 0; i < answers.length; i++) {
            nodes.get(i).release.complete(answers[i]);
        }
    }

    private CompletableFuture<ReleaseResult> released(ReleaseResult... answers) {
        acquire();
        CompletableFuture<ReleaseResult> released = release();
        answer(answers);
        return released;
    }

    private static ReleaseResult kept(long seconds) {
        return new Kept(Duration.ofSeconds(seconds), 0);
    }

    @Test
    void sendsTheMinimumHoldToEachNode() {
        acquire();

        release();

        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.releases.get(0).minHold()).isEqualTo(MINIMUM));
    }

    @Test
    void keepsTheLockUntilAQuorumHasFreedIt() {
        assertThat(released(kept(9), kept(7), kept(8))).isCompletedWithValue(kept(7));
    }

    @Test
    void keepsTheLockAsLongAsAQuorumKeepsIt() {
        assertThat(released(new Released(1), kept(7), kept(9), kept(8)))
                .isCompletedWithValue(new Kept(Duration.ofSeconds(7), 1));
    }

    @Test
    void reportsReleasedWhenTooFewNodesKeepTheLock() {
        CompletableFuture<ReleaseResult> released = released(new Released(0), kept(7), new Released(0));
        assertThat(released).as("the others may keep it").isNotDone();

        nodes.get(3).release.complete(new Released(0));

        assertThat(released).isCompletedWithValue(new Released(0));
    }

    @Test
    void reportsNotHeldWhenTooManyNodesNoLongerHaveTheLock() {
        assertThat(released(new NotHeld(), new NotHeld(), kept(7), kept(7), new NotHeld()))
                .isCompletedWithValue(new NotHeld());
    }

    @Test
    void reportsUnknownWhenTooFewNodesAnswer() {
        assertThat(released(kept(7), kept(7), SILENCE, SILENCE, SILENCE).join())
                .isInstanceOfSatisfying(ReleaseResult.Unknown.class, unknown -> assertThat(unknown.reason())
                        .contains("released on 2 of 5 nodes"));
    }

    @Test
    void aSilentNodeKeepsTheLockWhenItAnswersAgain() {
        released(kept(9), kept(7), kept(8), SILENCE, kept(8)).join();
        Node late = nodes.get(3);
        ReleaseCommand missed = late.releases.get(0);
        late.release = CompletableFuture.completedFuture(kept(3));

        late.vote.complete(new Vote(new AcquireResult.Granted(99, 0), OptionalLong.empty()));

        assertThat(late.releases).hasSizeGreaterThan(1).element(1).isEqualTo(missed);
    }

    @Test
    void showsAnOperatorForHowLongTheLockIsKept() {
        say(keptFor(9), keptFor(7), keptFor(8), new StoredLock.Free(100, 0), new StoredLock.Unknown("no answer"));
        assertThat(backend.inspect(KEY, 0).toCompletableFuture().join()).isEqualTo(keptFor(7));

        say(keptFor(9), keptFor(7), new StoredLock.Free(100, 0), new StoredLock.Free(100, 0), keptFor(0));
        assertThat(backend.inspect(KEY, 0).toCompletableFuture().join()).isEqualTo(keptFor(0));

        StoredLock free = new StoredLock.Free(100, 0);
        say(keptFor(9), keptFor(7), free, free, free);
        assertThat(backend.inspect(KEY, 0).toCompletableFuture().join()).isEqualTo(free);

        say(keptFor(9), keptFor(7), free, free, new StoredLock.Unknown("no answer"));
        assertThat(backend.inspect(KEY, 0).toCompletableFuture().join()).isInstanceOf(StoredLock.Unknown.class);
    }

    @Test
    void aRevocationFreesTheLockOnTheNodesThatKeepIt() {
        say(keptFor(9), keptFor(7), keptFor(8), new StoredLock.Free(100, 0), new StoredLock.Free(100, 0));

        assertThat(backend.revoke(KEY, 0, 100).toCompletableFuture().join()).isInstanceOf(Revocation.Revoked.class);

        assertThat(nodes.stream().map(node -> node.revoked))
                .containsExactly(List.of(100L), List.of(100L), List.of(100L), List.of(), List.of());
    }

    private void say(StoredLock... answers) {
        for (int i = 0; i < answers.length; i++) {
            nodes.get(i).lock = answers[i];
        }
    }

    private static StoredLock keptFor(long seconds) {
        return new StoredLock.Kept(Duration.ofSeconds(seconds), 100, 0);
    }
}
