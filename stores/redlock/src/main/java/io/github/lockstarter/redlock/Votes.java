package io.github.lockstarter.redlock;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.AcquireResult.Recovering;
import io.github.lockstarter.spi.AcquireResult.Rejected;
import io.github.lockstarter.spi.AcquireResult.Unavailable;
import io.github.lockstarter.spi.AcquireResult.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The votes on one attempt, and their result. Not thread-safe.
 * <p>A node that grants, is contended or recovers has <em>answered</em>. The attempt is
 * <ul>
 *   <li>granted, as soon as a quorum grants;
 *   <li>refused, as soon as the missing votes are too few for a quorum and a quorum has answered: contended if at least
 *       one node is, else recovering;
 *   <li>failed, if all have voted and fewer than a quorum have answered, since only the others may know the holder:
 *       unknown if a node may have granted it, unavailable if a node is, else rejected.
 * </ul>
 * So up to ⌊(N−1)/2⌋ nodes that are down change no result, and more never turn "cannot tell" into a refusal.
 */
final class Votes extends NodeAnswers<AcquireResult> {

    Votes(Quorum quorum) {
        super(quorum);
    }

    int granted() {
        return count(Granted.class);
    }

    boolean isGranted() {
        return granted() >= quorum.needed();
    }

    long fencingToken() {
        return of(Granted.class).mapToLong(Granted::fencingToken).max().orElse(0);
    }

    boolean isGrantedFrom(long token) {
        return granted() - grantedBelow(token).size() >= quorum.needed();
    }

    List<Integer> grantedBelow(long token) {
        return IntStream.range(0, quorum.nodes())
                .filter(node -> at(node) instanceof Granted granted && granted.fencingToken() < token)
                .boxed()
                .toList();
    }

    IntStream contended() {
        return IntStream.range(0, quorum.nodes()).filter(node -> at(node) instanceof Contended);
    }

    Optional<AcquireResult> refusal(String key) {
        if (granted() + missing() >= quorum.needed()) {
            return Optional.empty();
        }
        List<Contended> contended = of(Contended.class).toList();
        List<Recovering> recovering = of(Recovering.class).toList();
        int answered = granted() + contended.size() + recovering.size();
        if (answered >= quorum.needed()) {
            Optional<Duration> soonest = soonest(contended, recovering);
            return Optional.of(
                    contended.isEmpty()
                            ? new Recovering(soonest.orElse(Duration.ZERO), tooFewVotes(recovering))
                            : new Contended(soonest, position(contended), holder(contended), isKept(contended)));
        }
        return missing() > 0 ? Optional.empty() : Optional.of(failure(key, answered));
    }

    private String tooFewVotes(List<Recovering> recovering) {
        return "only " + granted() + " of " + quorum.nodes() + " nodes vote, and " + quorum.needed()
                + " are needed; one of the others: " + recovering.get(0).problem();
    }

    /**
     * Earliest time at which enough other nodes may vote for us without any release or renewal. If too few ever will,
     * the time of the last one that does.
     */
    private Optional<Duration> soonest(List<Contended> contended, List<Recovering> recovering) {
        List<Duration> times = new ArrayList<>();
        contended.forEach(vote -> vote.remainingLease().ifPresent(times::add));
        recovering.forEach(vote -> times.add(vote.retryAfter()));
        times.sort(Comparator.naturalOrder());
        int last = Math.min(quorum.needed() - granted(), times.size()) - 1;
        return last < 0 ? Optional.empty() : Optional.of(times.get(last));
    }

    private static long position(List<Contended> contended) {
        return contended.stream()
                .mapToLong(Contended::position)
                .filter(position -> position != Waiting.NEW)
                .min()
                .orElse(Waiting.NEW);
    }

    private static boolean isKept(List<Contended> contended) {
        return 2 * contended.stream().filter(Contended::kept).count() > contended.size();
    }

    private static Optional<LockHolder> holder(List<Contended> contended) {
        Map<LockHolder, Long> named = contended.stream()
                .flatMap(vote -> vote.holder().stream())
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        return named.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    private AcquireResult failure(String key, int answered) {
        String reason = quorum.tooFew(answered, "answered for lock '" + key + "'") + "; one of the others: ";
        return first(Unknown.class)
                .<AcquireResult>map(unknown -> new Unknown(reason + unknown.reason(), unknown.cause()))
                .or(() -> first(Unavailable.class)
                        .map(failed -> new Unavailable(reason + failed.reason(), failed.cause())))
                .or(() -> first(Rejected.class).map(failed -> new Rejected(reason + failed.reason(), failed.cause())))
                .orElseThrow();
    }
}
