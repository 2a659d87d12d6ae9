package io.github.lockstarter.engine;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;

/** Ends waits of this instance at the backend, and has what they may have acquired released if no answer comes. */
final class Withdrawals {

    private final BackendCalls backend;
    private final Cleanups cleanups;
    private final Duration longestLease;

    Withdrawals(Core core, Cleanups cleanups) {
        this.backend = core.backend();
        this.cleanups = cleanups;
        this.longestLease = core.settings().maxLease();
    }

    void send(String key, LockToken token) {
        backend.withdraw(new WithdrawCommand(key, token), result -> {
            if (result instanceof WithdrawResult.Unknown) {
                cleanups.add(new ReleaseCommand(key, token, 0), longestLease);
            }
        });
    }
}
