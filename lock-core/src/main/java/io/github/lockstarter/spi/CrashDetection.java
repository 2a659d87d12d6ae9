package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store's means to distinguish a crashed instance from a paused one: a connection, which the operating system closes
 * with the process but not while it is stopped, or a session. Thread-safe.
 *
 * <p>The store takes a lock over no sooner than its token's {@link LockToken#takeoverMillis takeover time} after the
 * last beat of the owner's instance that it executed, and not while it may have forgotten locks.
 */
public interface CrashDetection {

    /**
     * Reports that this instance is alive and asks for crashed instances. Returns at once.
     *
     * <p>An answer proves that the server which grants locks executed the beat after this call and still executes
     * writes. A lock that the same {@link Beat#history} granted or renewed after an earlier beat with the same {@link
     * Beat#takeover} was not taken over before this beat.
     *
     * @param waitedFor keys that this instance waits for
     * @return the answer; empty if it proves nothing; an exception that names the failure if there was none. Not
     *     completed before the first command has opened a connection
     */
    CompletionStage<Optional<Beat>> beat(List<String> waitedFor);

    /**
     * The store's answer to a beat.
     *
     * @param history identifies the store's memory; another one may have forgotten takeovers
     * @param takeover identifies the last time at which locks of this instance were, or could be, taken over; empty if
     *     none
     * @param historyBefore direct predecessor of this history; empty if unknown
     * @param runningFor minimum uptime of the answering server, which may have lost older data, even if replicas
     *     acknowledged it. Meaningless while the history stays the same
     * @param abandoned keys of the beat whose crashed owners an attempt now replaces
     */
    record Beat(String history, String takeover, String historyBefore, Duration runningFor, List<String> abandoned) {}

    /** {@return whether signals reach this instance, as far as known; if not, waiters poll more often} */
    default boolean hearsSignals() {
        return true;
    }

    /** {@return the longest time that a command, and so a caller for a lock in doubt, waits; positive and constant} */
    Duration commandTimeout();

    /** {@return the condition that this instance's tokens set for a takeover; constant} */
    default TakeoverCondition takeoverCondition() {
        return TakeoverCondition.NONE;
    }

    /**
     * {@return the time for which this instance's locks are certain after an answered beat was sent, and in doubt
     * afterwards, if the store ends silent sessions; empty, by default, if the locks' takeover times decide} May
     * change when the store grants a session. Returns at once.
     */
    default Optional<Duration> certainTime() {
        return Optional.empty();
    }
}
