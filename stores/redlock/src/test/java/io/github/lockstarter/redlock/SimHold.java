package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;

/** The hold of a simulated client, as far as it knows. */
final class SimHold {

    final LockToken token;
    final long lastFencingToken;
    long deadline;

    SimHold(LockToken token, long lastFencingToken, long deadline) {
        this.token = token;
        this.lastFencingToken = lastFencingToken;
        this.deadline = deadline;
    }

    boolean isValid(long now) {
        return now < deadline;
    }

    void end(long now) {
        deadline = Math.min(deadline, now);
    }
}
