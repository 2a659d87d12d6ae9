package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.StoreEvent.Unreachable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Events from the nodes' reports: three nodes, two of which are needed. */
class QuorumEventsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<StoreEvent> received = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final QuorumEvents events = new QuorumEvents(new Quorum(3), "The quorum", nanos::get, received::add);

    @Test
    void passesOnTheOutageOfOneNode() {
        events.report(0, unreachable(0));
        events.report(0, reachable(0));
        assertThat(received)
                .containsExactly(
                        new Unreachable("node 0", Scope.VOTE, "no answer"),
                        new Reachable("node 0", Scope.VOTE, SECOND));
    }

    @Test
    void reportsTheLossOfTheQuorumOnceAndItsEndOnce() {
        events.report(0, unreachable(0));
        events.report(1, unreachable(1));
        events.report(2, unreachable(2));
        nanos.addAndGet(SECOND.toNanos());
        events.report(0, reachable(0));
        events.report(1, reachable(1));
        events.report(2, reachable(2));
        assertThat(received.stream().filter(event -> event.scope() == Scope.ALL))
                .containsExactly(
                        new Unreachable("The quorum", Scope.ALL, "Only 1 of 3 nodes answer, and 2 are needed"),
                        new Reachable("The quorum", Scope.ALL, SECOND));
        assertThat(received).hasSize(8);
    }

    @Test
    void reportsARecoveryOfTheQuorumWhenTooFewNodesVote() {
        events.report(0, recovering(0, SECOND.multipliedBy(30)));
        assertThat(received).extracting(StoreEvent::scope).containsExactly(Scope.VOTE);
        nanos.addAndGet(SECOND.multipliedBy(10).toNanos());
        events.report(1, recovering(1, SECOND.multipliedBy(30)));
        assertThat(received.get(2))
                .isEqualTo(new RecoveryStarted(
                        "The quorum",
                        Scope.ALL,
                        "Only 1 of 3 nodes vote, and 2 are needed: node 1 lost its data",
                        SECOND.multipliedBy(20)));
    }

    @Test
    void doesNotCountTheVoteOfANodeThatDoesNotAnswer() {
        events.report(0, unreachable(0));
        events.report(1, recovering(1, SECOND.multipliedBy(30)));
        assertThat(received).hasSize(3);
        assertThat(((RecoveryStarted) received.get(2)).remaining()).isEqualTo(SECOND.multipliedBy(30));
    }

    private static Unreachable unreachable(int node) {
        return new Unreachable("node " + node, Scope.VOTE, "no answer");
    }

    private static Reachable reachable(int node) {
        return new Reachable("node " + node, Scope.VOTE, SECOND);
    }

    private static RecoveryStarted recovering(int node, Duration remaining) {
        String store = "node " + node;
        return new RecoveryStarted(store, Scope.ALL, store + " lost its data", remaining);
    }
}
