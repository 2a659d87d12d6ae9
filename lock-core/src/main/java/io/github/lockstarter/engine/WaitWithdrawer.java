package io.github.lockstarter.engine;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;

/** Takes back at the backend what was asked for: waits, and what they may have acquired. */
final class WaitWithdrawer {

    private final BackendCalls backend;
    private final PendingReleases pendingReleases;
    private final Duration longestLease;

    WaitWithdrawer(EngineContext context, PendingReleases pendingReleases) {
        this.backend = context.backend();
        this.pendingReleases = pendingReleases;
        this.longestLease = context.settings().maxLease();
    }

    /** Ends the wait of this instance, and what the token may have acquired. */
    void send(String key, LockToken token) {
        backend.withdraw(new WithdrawCommand(key, token), result -> {
            if (result instanceof WithdrawResult.Unknown) {
                pendingReleases.add(new ReleaseCommand(key, token, 0), longestLease);
            }
        });
    }

    /** Releases what an attempt was, or may have been, granted for nobody. */
    void giveBack(AcquireAttempt attempt, long lastFencingToken) {
        Acquisition acquisition = attempt.acquisition();
        pendingReleases.add(new ReleaseCommand(acquisition.key, attempt.token(), lastFencingToken), acquisition.terms.lease());
    }
}
