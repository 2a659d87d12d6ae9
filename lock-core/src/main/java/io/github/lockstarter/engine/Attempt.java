package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.spi.LockToken;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One command that tries to get the lock for a waiter. What it is sent with is set once, by the thread that sends it,
 * before it is sent.
 */
final class Attempt {

    final Waiter waiter;
    final long position;
    final int fencingTokens;

    /** Before it is sent. */
    final Moment sent;

    /** Guarded by the {@link KeyLock}: an operator has taken away what it is granted. */
    boolean isTakenAway;

    private volatile @Nullable LockToken token;
    private volatile @Nullable Certainty certainty;

    Attempt(Waiter waiter, long position, int fencingTokens, Moment sent) {
        this.waiter = waiter;
        this.position = position;
        this.fencingTokens = fencingTokens;
        this.sent = sent;
    }

    void sentWith(LockToken asked, Certainty known) {
        certainty = known;
        token = asked;
    }

    /** Whether it was sent, perhaps. */
    boolean hasToken() {
        return token != null;
    }

    LockToken token() {
        return Objects.requireNonNull(token);
    }

    Certainty certainty() {
        return Objects.requireNonNull(certainty);
    }
}
