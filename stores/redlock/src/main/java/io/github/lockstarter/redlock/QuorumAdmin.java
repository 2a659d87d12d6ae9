package io.github.lockstarter.redlock;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.StoredLock.Free;
import io.github.lockstarter.LockAdmin.StoredLock.Held;
import io.github.lockstarter.LockAdmin.StoredLock.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Runs an operator's queries on all nodes and waits for each.
 * <p><b>Revoking.</b> The operator's fencing token must match the quorum's. Each node that named the holder, or keeps
 * the lock, revokes it if its own last fencing token is unchanged since it was read; a newer owner keeps its lock
 * there. Nodes that are free by then count as well: the first revocation notifies the holder, which gives up its other
 * nodes. Nodes that were free when read do not count: the holder's grant there may come later.
 */
final class QuorumAdmin {

    private final Quorum quorum;
    private final List<QuorumMember> nodes;

    QuorumAdmin(Quorum quorum, List<QuorumMember> nodes) {
        this.quorum = quorum;
        this.nodes = nodes;
    }

    CompletionStage<StoredLock> inspect(String key) {
        return look(key).thenApply(QuorumView::merged);
    }

    private CompletionStage<QuorumView> look(String key) {
        return all(node -> node.inspect(key)).thenApply(answers -> new QuorumView(quorum, answers));
    }

    CompletionStage<Revocation> revoke(String key, long fencingToken) {
        return look(key).thenCompose(view -> {
            StoredLock seen = view.merged();
            if (seen instanceof Unknown unknown) {
                return done(unchanged(unknown.reason()));
            }
            long last = seen.fencingToken();
            if (fencingToken > last && !view.isComplete()) {
                return done(unchanged("Not all nodes reported the last fencing token"));
            }
            if (fencingToken != last || seen instanceof Free) {
                return done(new Revocation.Stale(seen));
            }
            boolean foreign = seen instanceof Held held && held.holder().isEmpty();
            return foreign ? done(new Revocation.Foreign()) : take(key, view, seen);
        });
    }

    private static Revocation unchanged(String reason) {
        return new Revocation.Unknown(reason + ". Nothing was changed");
    }

    private CompletionStage<Revocation> take(String key, QuorumView view, StoredLock seen) {
        Predicate<StoredLock> matching = QuorumView.matching(seen);
        List<CompletionStage<Revocation>> taken = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            StoredLock there = view.answers().get(node);
            if (matching.test(there)) {
                taken.add(nodes.get(node).revoke(key, there.fencingToken()));
            }
        }
        return joined(taken).thenApply(this::taken);
    }

    private Revocation taken(List<Revocation> answers) {
        long revoked =
                answers.stream().filter(Revocation.Revoked.class::isInstance).count();
        long givenUp = answers.stream().filter(QuorumAdmin::isFree).count();
        if (revoked > 0 && revoked + givenUp >= quorum.needed()) {
            return new Revocation.Revoked();
        }
        String others = answers.stream()
                .filter(Revocation.Unknown.class::isInstance)
                .map(answer -> "; one of the others: " + ((Revocation.Unknown) answer).reason())
                .findFirst()
                .orElse("");
        return new Revocation.Unknown("It was taken away on " + revoked + " of " + nodes.size() + " nodes, and "
                + quorum.needed() + " are needed" + others);
    }

    private static boolean isFree(Revocation answer) {
        return answer instanceof Revocation.Stale stale && stale.found() instanceof Free;
    }

    CompletionStage<StoreState> state() {
        return all(QuorumMember::state).thenApply(this::merged);
    }

    private StoreState merged(List<StoreState> states) {
        List<StoreState> reachable =
                states.stream().filter(node -> node.failure().isEmpty()).toList();
        List<StoreState> voting =
                reachable.stream().filter(node -> node.recovering().isZero()).toList();
        long hearing = reachable.stream().filter(StoreState::hearsSignals).count();
        return new StoreState(
                "a quorum of " + names(states),
                reachable.size() >= quorum.needed() ? Optional.empty() : Optional.of(failure(states, reachable.size())),
                recovering(reachable),
                states.stream()
                        .map(StoreState::guard)
                        .max(Comparator.naturalOrder())
                        .orElse(Guard.UNNEEDED),
                hearing >= quorum.needed(),
                voting.size() == states.size() ? List.of() : List.of(absence(states, voting)),
                states);
    }

    private String failure(List<StoreState> states, int reachable) {
        String reasons = states.stream()
                .flatMap(node -> node.failure().stream())
                .distinct()
                .collect(Collectors.joining("; "));
        return quorum.tooFew(reachable, "answer") + ": " + reasons;
    }

    private Duration recovering(List<StoreState> reachable) {
        return reachable.stream()
                .map(StoreState::recovering)
                .sorted()
                .skip(quorum.needed() - 1L)
                .findFirst()
                .orElse(Duration.ZERO);
    }

    private String absence(List<StoreState> states, List<StoreState> voting) {
        List<StoreState> others =
                states.stream().filter(node -> !voting.contains(node)).toList();
        int spare = voting.size() - quorum.needed();
        String consequence = spare < 0
                ? -spare + " more are needed to grant a lock"
                : spare + " more may fail before the quorum is lost";
        return voting.size() + " of " + states.size() + " nodes vote, and " + consequence + ". Without a vote: "
                + names(others);
    }

    private static String names(List<StoreState> some) {
        return some.stream().map(StoreState::target).collect(Collectors.joining(", "));
    }

    private <R> CompletionStage<List<R>> all(Function<QuorumMember, CompletionStage<R>> question) {
        return joined(nodes.stream().map(question).toList());
    }

    private static <R> CompletionStage<List<R>> joined(List<CompletionStage<R>> stages) {
        List<CompletableFuture<R>> answers =
                stages.stream().map(CompletionStage::toCompletableFuture).toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all ->
                        answers.stream().map(answer -> answer.getNow(null)).toList());
    }

    private static CompletionStage<Revocation> done(Revocation revocation) {
        return CompletableFuture.completedFuture(revocation);
    }
}
