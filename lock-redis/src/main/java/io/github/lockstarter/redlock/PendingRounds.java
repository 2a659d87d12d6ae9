package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

/**
 * The round in progress of each token: a release stops the round first, so that the round sends nothing after the
 * release. What is without an answer then cannot be stopped; it stays here until it is answered, and is freed then.
 * Thread-safe.
 */
final class PendingRounds {

    private final ConcurrentMap<LockToken, List<PendingRound>> byToken = new ConcurrentHashMap<>();

    void add(LockToken token, PendingRound work) {
        byToken.merge(token, List.of(work), (some, others) -> Stream.concat(some.stream(), others.stream())
                .toList());
    }

    void remove(LockToken token, PendingRound work) {
        byToken.computeIfPresent(token, (t, works) -> {
            List<PendingRound> left =
                    works.stream().filter(other -> other != work).toList();
            return left.isEmpty() ? null : left;
        });
    }

    /** What is under way for the token. */
    List<PendingRound> of(LockToken token) {
        return byToken.getOrDefault(token, List.of());
    }

    /** Stops what is under way for the token, and returns it: from now on, it may have its last answer at any time. */
    List<PendingRound> revoke(LockToken token) {
        List<PendingRound> works = of(token);
        works.forEach(PendingRound::revoke);
        return works;
    }

    /** How many tokens have something under way. None, once every node has answered everything. */
    int size() {
        return byToken.size();
    }
}
