package io.github.lockstarter.redlock;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.StoredLock.Free;
import io.github.lockstarter.LockAdmin.StoredLock.Held;
import io.github.lockstarter.LockAdmin.StoredLock.Kept;
import io.github.lockstarter.LockAdmin.StoredLock.Unknown;
import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What all nodes say about one lock, put together: a quorum that names the same holder says that it has the lock, and a
 * quorum that cannot come about with the nodes that said nothing, that no owner has it. It is kept if so many nodes
 * keep it that the others are no quorum. Immutable.
 *
 * <p>The fencing token of the quorum is the highest one that a quorum has reached. The writing before the grant has
 * brought a quorum to the last token of the owner, so with all nodes it is never below that. It may be above: a node
 * that lost the lock, and was given it again with a renewal, counts on from wherever it was, and in time that can be a
 * quorum of them. Nodes that say nothing make it seem lower, never higher. It names the owner's stay with the lock all
 * the same: the next owner brings a quorum above it.
 *
 * @param quorum how many decide
 * @param answers one for each node, in their order
 */
record QuorumView(Quorum quorum, List<StoredLock> answers) {

    /** What they come to. */
    StoredLock merged() {
        long silent = of(Unknown.class).count();
        List<Held> named = named();
        if (named.size() >= quorum.needed()) {
            return new Held(named.get(0).holder(), shortest(named), fencingToken(named.stream()), waiting());
        }
        List<Kept> kept = of(Kept.class)
                .sorted(Comparator.comparing(Kept::remaining).reversed())
                .toList();
        if (kept.size() >= quorum.blocking()) {
            return new Kept(kept.get(quorum.blocking() - 1).remaining(), fencingToken(kept.stream()), waiting());
        }
        if (silent >= quorum.blocking()
                || named.size() + silent >= quorum.needed()
                || (!kept.isEmpty() && kept.size() + silent >= quorum.blocking())) {
            String said = named.isEmpty() ? "" : ", and " + named.size() + " of the others report that it is held";
            return new Unknown(
                    silent + " of " + quorum.nodes() + " nodes did not report the lock" + said + "; one failure: "
                            + of(Unknown.class).map(Unknown::reason).findFirst().orElse("no answer"));
        }
        return new Free(fencingToken(answers.stream()), waiting(), recovering());
    }

    boolean isComplete() {
        return of(Unknown.class).findAny().isEmpty();
    }

    /** What the nodes say that name the holder whom most of them name. */
    private List<Held> named() {
        Map<Optional<LockHolder>, List<Held>> byHolder = of(Held.class).collect(Collectors.groupingBy(Held::holder));
        return byHolder.values().stream()
                .max(Comparator.comparingInt(List::size))
                .orElse(List.of());
    }

    /** Empty for a lock that never ends by itself, on any of them. */
    private static Optional<Duration> shortest(List<Held> named) {
        return named.stream().flatMap(held -> held.remainingLease().stream()).min(Comparator.naturalOrder());
    }

    private long fencingToken(Stream<? extends StoredLock> seen) {
        return ofQuorum(seen.map(StoredLock::fencingToken).sorted(Comparator.reverseOrder()), 0L);
    }

    /** Until enough of the nodes that know of no owner vote. */
    private Duration recovering() {
        return ofQuorum(of(Free.class).map(Free::recovering).sorted(), Duration.ZERO);
    }

    /** The last of those that the first quorum of nodes says. */
    private <V> V ofQuorum(Stream<V> sorted, V none) {
        return sorted.skip(quorum.needed() - 1L).findFirst().orElse(none);
    }

    private long waiting() {
        return answers.stream().mapToLong(StoredLock::waitingInstances).max().orElse(0);
    }

    private <A extends StoredLock> Stream<A> of(Class<A> kind) {
        return answers.stream().filter(kind::isInstance).map(kind::cast);
    }

    /** Whether a node says the same: that it names this holder, or keeps the lock. */
    static Predicate<StoredLock> saying(StoredLock merged) {
        return merged instanceof Held all
                ? answer -> answer instanceof Held held && held.holder().equals(all.holder())
                : Kept.class::isInstance;
    }
}
