package io.github.lockstarter.engine;

import io.github.lockstarter.engine.backend.LockTokenFactory;
import io.github.lockstarter.engine.heartbeat.Heartbeats;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.spi.LockToken;

/**
 * Makes the lock tokens of attempts, which name the owner, and promise the take-over time if the store answers this
 * instance now. Thread-safe.
 *
 * @param tokens identity of this instance
 * @param heartbeats whether the stores answer it
 */
record AttemptTokens(LockTokenFactory tokens, Heartbeats heartbeats) {

    LockToken next(Acquisition acquisition) {
        ResolvedRequest terms = acquisition.terms;
        return tokens.next(
                acquisition.owner().label(),
                heartbeats.takeOverMillis(acquisition.key, terms.crashTakeOver(), terms.lease()),
                heartbeats.takeOverCondition(acquisition.key));
    }
}
