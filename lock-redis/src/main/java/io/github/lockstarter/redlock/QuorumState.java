package io.github.lockstarter.redlock;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The state of the quorum, derived from the states of its nodes. One that does not answer cannot vote, and one that
 * recovers may not.
 *
 * @param quorum how many decide
 * @param nodes all of them
 */
record QuorumState(Quorum quorum, List<StoreState> nodes) {

    StoreState merged() {
        List<StoreState> reachable =
                nodes.stream().filter(node -> node.failure().isEmpty()).toList();
        List<StoreState> voting =
                reachable.stream().filter(node -> node.recovering().isZero()).toList();
        long hearing = reachable.stream().filter(StoreState::hearsSignals).count();
        return new StoreState(
                "a quorum of " + names(nodes),
                reachable.size() >= quorum.needed() ? Optional.empty() : Optional.of(failure(reachable.size())),
                recovering(reachable, voting.size()),
                nodes.stream()
                        .map(StoreState::guard)
                        .max(Comparator.naturalOrder())
                        .orElse(Guard.UNNEEDED),
                hearing >= quorum.needed(),
                voting.size() == nodes.size() ? List.of() : List.of(absence(voting)),
                nodes);
    }

    private String failure(int reachable) {
        String reasons = nodes.stream()
                .flatMap(node -> node.failure().stream())
                .distinct()
                .collect(Collectors.joining("; "));
        return quorum.tooFew(reachable, "answer") + ": " + reasons;
    }

    /** Until enough of those that answer vote again. */
    private Duration recovering(List<StoreState> reachable, int voting) {
        if (voting >= quorum.needed()) {
            return Duration.ZERO;
        }
        return reachable.stream()
                .map(StoreState::recovering)
                .filter(left -> !left.isZero())
                .sorted()
                .skip(quorum.needed() - voting - 1L)
                .findFirst()
                .orElse(Duration.ZERO);
    }

    private String absence(List<StoreState> voting) {
        List<StoreState> others =
                nodes.stream().filter(node -> !voting.contains(node)).toList();
        int spare = voting.size() - quorum.needed();
        String consequence = spare < 0
                ? -spare + " more are needed to grant a lock"
                : spare + " more may fail before the quorum is lost";
        return voting.size() + " of " + nodes.size() + " nodes vote, and " + consequence + ". Without a vote: "
                + names(others);
    }

    private static String names(List<StoreState> some) {
        return some.stream().map(StoreState::target).collect(Collectors.joining(", "));
    }
}
