package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;

/** What a simulated client believes to hold, and until when. */
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
