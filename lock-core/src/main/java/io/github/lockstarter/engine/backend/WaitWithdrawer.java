package io.github.lockstarter.engine.backend;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;

/** Takes back at the backend what was asked for: waits, and what they may have acquired. */
public final class WaitWithdrawer {

    private final BackendCalls backend;
    private final PendingReleases pendingReleases;
    private final Duration longestLease;

    public WaitWithdrawer(BackendCalls backend, PendingReleases pendingReleases, Duration longestLease) {
        this.backend = backend;
        this.pendingReleases = pendingReleases;
        this.longestLease = longestLease;
    }

    /** Ends the wait of this instance, and what the token may have acquired. */
    public void send(String key, LockToken token) {
        backend.withdraw(new WithdrawCommand(key, token), result -> {
            if (result instanceof WithdrawResult.Unknown) {
                pendingReleases.add(new ReleaseCommand(key, token, 0), longestLease);
            }
        });
    }

    /** Releases what an attempt was, or may have been, granted and no caller takes. */
    public void giveBack(ReleaseCommand release, Duration lease) {
        pendingReleases.add(release, lease);
    }
}
