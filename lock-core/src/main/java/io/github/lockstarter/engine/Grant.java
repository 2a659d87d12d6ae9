package io.github.lockstarter.engine;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the store granted to one lock token: a block of fencing tokens, which the holds of this instance use up one
 * after the other. Data: the mutable fields are guarded by the {@link KeyLock}.
 */
final class Grant {

    final LockToken token;
    final long firstFencingToken;
    final long lastFencingToken;

    /** Whether no other owner can have taken it over. */
    final Certainty certainty;

    final long askedAt;
    final Optional<LockHolder> takenOverFrom;

    /** Renewals that were decided and have no answer. */
    int renewing;

    /** The hold whose release waits for that. */
    @Nullable
    Hold owing;

    /** Whether an operator has taken it away, or it is given back: no further hold follows. */
    boolean isRevoked;

    private final ResolvedRequest terms;
    private int used = 1;

    /** Whether another instance is known to wait; the next two mean nothing before that. */
    private boolean isWanted;

    private long wantedAt;
    private int handOvers;

    Grant(Attempt asked, AcquireResult.Granted granted) {
        this.token = asked.token();
        this.firstFencingToken = granted.fencingToken();
        this.lastFencingToken = firstFencingToken + asked.fencingTokens - 1;
        this.certainty = asked.certainty();
        this.askedAt = asked.sent.nanos();
        this.terms = asked.waiter.terms;
        this.takenOverFrom = granted.takenOverFrom();
        certainty.granted(granted.history());
    }

    boolean isWanted() {
        return isWanted;
    }

    /** Another instance waits; what was known first counts. */
    void wanted(long now) {
        if (!isWanted) {
            isWanted = true;
            wantedAt = now;
        }
    }

    /** Whether another hold may follow. */
    boolean allowsHandOver(long now, EngineSettings.HandOver limits) {
        boolean isFree = !isWanted
                || (handOvers < limits.max()
                        && now - wantedAt < limits.maxTime().toNanos());
        return isFree && !isUsedUp() && now - terms.renewAt(askedAt) < 0;
    }

    /** The fencing token of the next hold. */
    long nextFencingToken() {
        long next = firstFencingToken + used;
        used++;
        handOvers += isWanted ? 1 : 0;
        return next;
    }

    private boolean isUsedUp() {
        return firstFencingToken + used > lastFencingToken;
    }

    /** Whether there were fencing tokens for hand-overs, and all were given out early. */
    boolean wasUsedUpEarly(long now, EngineSettings.HandOver limits) {
        return lastFencingToken != firstFencingToken
                && isUsedUp()
                && now - askedAt < limits.maxTime().toNanos();
    }
}
