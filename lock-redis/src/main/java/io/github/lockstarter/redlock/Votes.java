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
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The votes of all nodes on one attempt, and their result. Not thread-safe.
 *
 * <p>A node that grants, is contended or recovers has <em>answered</em>; one that rejects, cannot just now or does not
 * say has not. The attempt is
 * <ul>
 *   <li>granted, as soon as a quorum grants;
 *   <li>refused, as soon as the nodes that have not voted yet are too few for that, and a quorum has answered:
 *       contended if at least one of them says so, else recovering;
 *   <li>failed, if all have voted and fewer than a quorum have answered: the holder may be known to the
 *       other nodes only. Unknown if one of them may have granted it, unavailable if one of them cannot just now, else
 *       rejected.
 * </ul>
 * So up to ⌊(N−1)/2⌋ nodes that are down change no answer, and more never make a "no" out of "cannot tell".
 */
final class Votes {

    private final Quorum quorum;
    private final @Nullable AcquireResult[] votes;

    Votes(Quorum quorum) {
        this.quorum = quorum;
        this.votes = new AcquireResult[quorum.nodes()];
    }

    void cast(int node, AcquireResult vote) {
        votes[node] = vote;
    }

    @Nullable
    AcquireResult at(int node) {
        return votes[node];
    }

    int granted() {
        return (int) of(Granted.class).count();
    }

    boolean isGranted() {
        return granted() >= quorum.needed();
    }

    int missing() {
        return (int) Arrays.stream(votes).filter(Objects::isNull).count();
    }

    long highestToken() {
        return of(Granted.class).mapToLong(Granted::fencingToken).max().orElse(0);
    }

    /** The nodes that granted this token or a higher one. */
    Set<Integer> grantedFrom(long token) {
        return nodes(vote -> vote instanceof Granted granted && granted.fencingToken() >= token);
    }

    /** The nodes that granted a lower token than this. */
    Set<Integer> grantedBelow(long token) {
        return nodes(vote -> vote instanceof Granted granted && granted.fencingToken() < token);
    }

    private Set<Integer> nodes(Predicate<@Nullable AcquireResult> which) {
        return IntStream.range(0, votes.length)
                .filter(node -> which.test(votes[node]))
                .boxed()
                .collect(Collectors.toSet());
    }

    long othersWaiting() {
        return of(Granted.class).mapToLong(Granted::othersWaiting).max().orElse(0);
    }

    /** Why it cannot be granted any more; empty as long as that is open. */
    Optional<AcquireResult> refusal(String key) {
        int open = missing();
        if (granted() + open >= quorum.needed()) {
            return Optional.empty();
        }
        List<Contended> contended = of(Contended.class).toList();
        List<Recovering> recovering = of(Recovering.class).toList();
        if (granted() + contended.size() + recovering.size() >= quorum.needed()) {
            Optional<Duration> soonest = soonest(contended, recovering);
            return Optional.of(
                    contended.isEmpty()
                            ? new Recovering(soonest.orElse(Duration.ZERO), tooFewVotes(recovering))
                            : new Contended(soonest, position(contended), holder(contended), isKept(contended)));
        }
        return open > 0 ? Optional.empty() : Optional.of(failure(key));
    }

    private String tooFewVotes(List<Recovering> recovering) {
        return "only " + granted() + " of " + quorum.nodes() + " nodes vote, and " + quorum.needed()
                + " are needed; one of the others: " + recovering.get(0).problem();
    }

    /**
     * When enough of the others may vote for us if no owner releases or renews anything: the time of the last one that
     * is needed. If fewer than that will ever do so by themselves, the time of the last of those.
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

    /** Whether most of them keep it. */
    private static boolean isKept(List<Contended> contended) {
        return 2 * contended.stream().filter(Contended::kept).count() > contended.size();
    }

    /** The one that most of them name. */
    private static Optional<LockHolder> holder(List<Contended> contended) {
        Map<LockHolder, Long> named = contended.stream()
                .flatMap(vote -> vote.holder().stream())
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        return named.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    private AcquireResult failure(String key) {
        int answered = granted()
                + (int) of(Contended.class).count()
                + (int) of(Recovering.class).count();
        String reason = "Only " + answered + " of " + quorum.nodes() + " nodes answered for lock '" + key + "', and "
                + quorum.needed() + " are needed; one of the others: ";
        Optional<Unknown> unknown = of(Unknown.class).findFirst();
        if (unknown.isPresent()) {
            return new Unknown(reason + unknown.get().reason(), unknown.get().cause());
        }
        Optional<Unavailable> unavailable = of(Unavailable.class).findFirst();
        if (unavailable.isPresent()) {
            return new Unavailable(
                    reason + unavailable.get().reason(), unavailable.get().cause());
        }
        Rejected rejected = of(Rejected.class).findFirst().orElseThrow();
        return new Rejected(reason + rejected.reason(), rejected.cause());
    }

    private <R extends AcquireResult> Stream<R> of(Class<R> kind) {
        return Arrays.stream(votes).filter(kind::isInstance).map(kind::cast);
    }
}
