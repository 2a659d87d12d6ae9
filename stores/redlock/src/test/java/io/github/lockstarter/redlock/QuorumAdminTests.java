package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.StoredLock.Free;
import io.github.lockstarter.LockAdmin.StoredLock.Held;
import io.github.lockstarter.LockAdmin.StoredLock.Unknown;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The admin view of a quorum whose nodes disagree. */
class QuorumAdminTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final LockHolder ANNA = new LockHolder("anna", Optional.of("http-1"), Optional.of(Instant.EPOCH));
    private static final LockHolder BERT = new LockHolder("bert");
    private static final StoredLock SILENCE = new Unknown("no answer");

    private final List<ScriptedNode> nodes =
            IntStream.range(0, 5).mapToObj(i -> new ScriptedNode("node-" + i)).toList();
    private final AtomicLong nanos = new AtomicLong(1);
    private final RedlockBackend backend = new RedlockBackend(nodes, LEASE, nanos::get);

    private static StoredLock held(LockHolder holder, long fencingToken) {
        return new Held(Optional.of(holder), Optional.of(LEASE), fencingToken, 0);
    }

    private static StoredLock free(long fencingToken) {
        return new Free(fencingToken, 0);
    }

    private void say(StoredLock... answers) {
        for (int i = 0; i < answers.length; i++) {
            nodes.get(i).lock = answers[i];
        }
    }

    private StoredLock inspected(StoredLock... answers) {
        say(answers);
        return answer(backend.inspect("order:42", 0));
    }

    private Revocation revoked(long fencingToken) {
        return answer(backend.revoke("order:42", 0, fencingToken));
    }

    private static <R> R answer(CompletionStage<R> stage) {
        return stage.toCompletableFuture().join();
    }

    @Test
    void showsTheHolderThatAMajorityNames() {
        assertThat(inspected(
                        new Held(Optional.of(ANNA), Optional.of(Duration.ofSeconds(9)), 102, 1),
                        new Held(Optional.of(ANNA), Optional.of(Duration.ofSeconds(7)), 102, 3),
                        new Held(Optional.of(ANNA), Optional.empty(), 104, 0),
                        new Held(Optional.of(BERT), Optional.of(Duration.ofSeconds(1)), 90, 5),
                        SILENCE))
                .isEqualTo(new Held(Optional.of(ANNA), Optional.of(Duration.ofSeconds(7)), 102, 5));
    }

    @Test
    void showsTheFencingTokenThatAQuorumHasReached() {
        // Votes of 100, 101 and 102, raised to 102; the other two arrived later.
        assertThat(inspected(held(ANNA, 103), held(ANNA, 102), held(ANNA, 102), held(ANNA, 102), held(ANNA, 104)))
                .isEqualTo(held(ANNA, 102));
        // The same where the raises were not needed.
        assertThat(inspected(held(ANNA, 100), held(ANNA, 101), held(ANNA, 102), held(ANNA, 103), held(ANNA, 104)))
                .isEqualTo(held(ANNA, 102));
    }

    @Test
    void showsAFreeLockWhenNoMajorityCanNameAHolder() {
        assertThat(inspected(held(ANNA, 7), held(BERT, 8), held(BERT, 9), free(5), free(5)))
                .isEqualTo(free(7));
        assertThat(inspected(held(ANNA, 7), free(6), free(6), free(6), SILENCE)).isEqualTo(free(6));
    }

    @Test
    void reportsUnknownWhenTheSilentNodesDecide() {
        assertThat(inspected(held(ANNA, 7), held(ANNA, 7), free(6), free(6), SILENCE))
                .isInstanceOfSatisfying(Unknown.class, unknown -> assertThat(unknown.reason())
                        .contains(
                                "1 of 5 nodes did not report the lock",
                                "2 of the others report that it is held",
                                "no answer"));
        assertThat(inspected(free(1), free(1), SILENCE, SILENCE, SILENCE)).isInstanceOf(Unknown.class);
    }

    @Test
    void revokesOnEachNodeByTheFencingTokenThatItReported() {
        say(held(ANNA, 102), held(ANNA, 102), held(ANNA, 101), held(ANNA, 103), held(BERT, 90));

        assertThat(revoked(102)).isInstanceOf(Revocation.Revoked.class);

        assertThat(nodes.stream().map(node -> node.revoked))
                .containsExactly(List.of(102L), List.of(102L), List.of(101L), List.of(103L), List.of());
    }

    @Test
    void revokesNothingByAnotherFencingToken() {
        say(held(ANNA, 102), held(ANNA, 102), held(ANNA, 101), held(ANNA, 103), held(BERT, 90));
        for (long wrong : new long[] {0, 90, 101, 103}) {
            assertThat(revoked(wrong)).isEqualTo(new Revocation.Stale(held(ANNA, 102)));
        }
        say(held(ANNA, 102), held(ANNA, 102), held(ANNA, 101), SILENCE, SILENCE);
        assertThat(revoked(102))
                .isInstanceOfSatisfying(Revocation.Unknown.class, unknown -> assertThat(unknown.reason())
                        .endsWith("Nothing was changed"));
        say(held(ANNA, 102), SILENCE, SILENCE, SILENCE, SILENCE);
        assertThat(revoked(102)).isInstanceOf(Revocation.Unknown.class);

        assertThat(nodes).allSatisfy(node -> assertThat(node.revoked).isEmpty());
    }

    @Test
    void doesNotRevokeALockOfAForeignClient() {
        StoredLock foreign = new Held(Optional.empty(), Optional.of(LEASE), 102, 0);
        say(foreign, foreign, foreign, held(ANNA, 102), free(80));

        assertThat(revoked(102)).isEqualTo(new Revocation.Foreign());

        assertThat(nodes).allSatisfy(node -> assertThat(node.revoked).isEmpty());
    }

    @Test
    void reportsRevokedOnlyWhenAMajorityRevoked() {
        say(held(ANNA, 102), held(ANNA, 102), held(ANNA, 102), free(80), free(80));
        assertThat(revoked(102)).isInstanceOf(Revocation.Revoked.class);

        nodes.get(0).revocation = new Revocation.Unknown("connection reset");
        assertThat(revoked(102))
                .isInstanceOfSatisfying(Revocation.Unknown.class, unknown -> assertThat(unknown.reason())
                        .contains("on 2 of 5 nodes", "3 are needed", "connection reset"));

        nodes.get(0).revocation = new Revocation.Stale(held(BERT, 103));
        assertThat(revoked(102)).isInstanceOf(Revocation.Unknown.class);
    }

    @Test
    void reportsRevokedWhenTheNotifiedHolderReleasedTheRest() {
        say(held(ANNA, 102), held(ANNA, 102), held(ANNA, 102), free(80), free(80));
        nodes.get(1).revocation = new Revocation.Stale(free(102));
        nodes.get(2).revocation = new Revocation.Stale(free(0));

        assertThat(revoked(102)).isInstanceOf(Revocation.Revoked.class);

        nodes.get(2).revocation = new Revocation.Stale(held(BERT, 103));
        assertThat(revoked(102)).isInstanceOf(Revocation.Unknown.class);
    }

    @Test
    void reportsUnknownWhenTheHolderReleasesMeanwhile() {
        say(held(ANNA, 102), held(ANNA, 102), held(ANNA, 102), free(80), free(80));
        nodes.forEach(node -> node.revocation = new Revocation.Stale(free(102)));

        assertThat(revoked(102)).isInstanceOf(Revocation.Unknown.class);
    }

    @Test
    void revokesNothingWhenTheLockIsFree() {
        say(free(102), free(102), free(102), free(90), SILENCE);
        assertThat(revoked(102)).isEqualTo(new Revocation.Stale(free(102)));
        assertThat(revoked(90)).isEqualTo(new Revocation.Stale(free(102)));
        say(free(0), free(0), free(0), free(0), free(0));
        assertThat(revoked(0)).isInstanceOf(Revocation.Stale.class);
    }

    @Test
    void theStateShowsWhichNodesVoteAndWhyOthersDoNot() {
        nodes.get(1).state = new StoreState("node-1", Optional.of("connection refused"));
        nodes.get(2).state = recovering("node-2", Duration.ofSeconds(12));

        StoreState state = answer(backend.state());

        assertThat(state.failure()).isEmpty();
        assertThat(state.recovering()).isZero();
        assertThat(state.hearsSignals()).isTrue();
        assertThat(state.guard()).isEqualTo(Guard.DEGRADED);
        assertThat(state.target()).isEqualTo("a quorum of node-0, node-1, node-2, node-3, node-4");
        assertThat(state.warnings())
                .containsExactly("3 of 5 nodes vote, and 0 more may fail before the quorum is lost. Without a vote:"
                        + " node-1, node-2");
        assertThat(state.nodes())
                .containsExactlyElementsOf(
                        nodes.stream().map(node -> node.state).toList());
    }

    @Test
    void theStateIsRecoveringUntilAQuorumVotes() {
        nodes.get(0).state = recovering("node-0", Duration.ofSeconds(5));
        nodes.get(1).state = recovering("node-1", Duration.ofSeconds(9));
        nodes.get(2).state = recovering("node-2", Duration.ofSeconds(12));
        nodes.get(3).state = new StoreState("node-3", Optional.of("connection refused"));

        StoreState state = answer(backend.state());

        assertThat(state.failure()).isEmpty();
        assertThat(state.recovering()).isEqualTo(Duration.ofSeconds(9));
        assertThat(state.warnings()).singleElement().asString().contains("2 more are needed to grant a lock");
    }

    @Test
    void theStateIsAFailureWithoutAMajority() {
        for (int i = 0; i < 3; i++) {
            nodes.get(i).state = new StoreState("node-" + i, Optional.of("connection refused"));
        }

        assertThat(answer(backend.state()).failure()).hasValueSatisfying(failure -> assertThat(failure)
                .isEqualTo("Only 2 of 5 nodes answer, and 3 are needed: connection refused"));
    }

    @Test
    void countsAHangingNodeAsFailedBeforeTheOperatorTimesOut() {
        nodes.get(1).hangs = true;

        CompletableFuture<StoreState> asked = backend.state().toCompletableFuture();

        assertThat(asked).succeedsWithin(Patience.TIME).satisfies(state -> {
            assertThat(state.failure()).isEmpty();
            assertThat(state.nodes().get(1).target()).isEqualTo("node-1");
            assertThat(state.nodes().get(1).failure()).hasValue("It did not answer within 3s");
            assertThat(state.nodes().get(1).hearsSignals()).isFalse();
        });
    }

    @Test
    void aNodeWhoseClockWasSetRecoversForTheLongestLease() {
        attempt(1_000_000);
        attempt(61_000_000);

        StoreState node = answer(backend.state()).nodes().get(4);

        assertThat(node.recovering()).isEqualTo(LEASE);
        assertThat(node.warnings()).singleElement().asString().startsWith("Its clock was set");
        assertThat(answer(backend.state()).nodes().get(3).recovering()).isZero();
    }

    private void attempt(long micros) {
        nodes.get(4).storeMicros = OptionalLong.of(micros);
        answer(backend.attemptAcquire(
                new AcquireCommand("k", new LockToken("a", micros), LEASE, 0, 1, Optional.empty())));
    }

    private static StoreState recovering(String name, Duration left) {
        return new StoreState(name, Optional.empty(), left, Guard.DEGRADED, true, List.of(), List.of());
    }
}
