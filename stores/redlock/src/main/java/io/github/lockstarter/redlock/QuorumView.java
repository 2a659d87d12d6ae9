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
 * The nodes' reports of one lock, merged. The lock is held if a quorum names the same holder, kept if enough nodes keep
 * it that the others are no quorum, and free if the silent nodes cannot change that.
 * <p>The merged fencing token is the highest that a quorum has reached. The write before each grant brings a quorum to
 * the owner's last token, so with all nodes it is never lower. It may be higher: a node that lost the lock and got it
 * back with a renewal continues from its own counter. Silent nodes only make it seem lower. It still identifies the
 * owner's hold: the next owner brings a quorum above it.
 */
record QuorumView(Quorum quorum, List<StoredLock> answers) {

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

    private List<Held> named() {
        Map<Optional<LockHolder>, List<Held>> byHolder = of(Held.class).collect(Collectors.groupingBy(Held::holder));
        return byHolder.values().stream()
                .max(Comparator.comparingInt(List::size))
                .orElse(List.of());
    }

    private static Optional<Duration> shortest(List<Held> named) {
        return named.stream().flatMap(held -> held.remainingLease().stream()).min(Comparator.naturalOrder());
    }

    private long fencingToken(Stream<? extends StoredLock> seen) {
        return ofQuorum(seen.map(StoredLock::fencingToken).sorted(Comparator.reverseOrder()), 0L);
    }

    private Duration recovering() {
        return ofQuorum(of(Free.class).map(Free::recovering).sorted(), Duration.ZERO);
    }

    private <V> V ofQuorum(Stream<V> sorted, V none) {
        return sorted.skip(quorum.needed() - 1L).findFirst().orElse(none);
    }

    private long waiting() {
        return answers.stream().mapToLong(StoredLock::waitingInstances).max().orElse(0);
    }

    private <A extends StoredLock> Stream<A> of(Class<A> kind) {
        return answers.stream().filter(kind::isInstance).map(kind::cast);
    }

    static Predicate<StoredLock> matching(StoredLock merged) {
        return merged instanceof Held all
                ? answer -> answer instanceof Held held && held.holder().equals(all.holder())
                : Kept.class::isInstance;
    }
}
