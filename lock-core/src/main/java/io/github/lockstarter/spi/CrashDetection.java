package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store's way to tell an instance that has crashed from one that is paused: by a connection, which the operating
 * system closes with the process and keeps open while the process is stopped, or by a session.
 *
 * <p>The store takes a lock over no sooner than its token's {@link LockToken#takeOverMillis take-over time} after the
 * last beat of the owner's instance that it executed, and not while it may have forgotten locks. Thread-safe.
 */
public interface CrashDetection {

    /**
     * Reports to the store that this instance is alive, and asks which other instances are not. Returns at once.
     *
     * <p>An answer proves that the very server which grants locks has executed the beat after this call, and that it
     * still executes writes. A lock that the same {@link Beat#history} has granted or renewed after an earlier beat
     * with the same {@link Beat#takeOver} has not been taken over before this one.
     *
     * @param waitedFor keys of locks that other instances have and that this instance waits for
     * @return completed with the answer; with empty if there is one that proves nothing; with an exception, whose
     *     message says what failed, if there was no answer. Not completed before the first command has opened a
     *     connection
     */
    CompletionStage<Optional<Beat>> beat(List<String> waitedFor);

    /**
     * What the store says to a beat.
     *
     * @param history names what the store remembers: another one may have forgotten take-overs
     * @param takeOver names the last time at which locks of this instance were, or could be, taken over; empty if the
     *     history knows of none
     * @param historyBefore the history that this one has followed directly; empty if that is not known
     * @param runningFor for how long, at least, the server that answered has been running: what replicas had
     *     acknowledged before that, it may have lost. Without meaning while the history stays the same
     * @param abandoned the keys of the beat whose owners are gone: an attempt takes their locks over now
     */
    record Beat(String history, String takeOver, String historyBefore, Duration runningFor, List<String> abandoned) {}

    /**
     * Whether signals reach this instance, according to the last beat. If they do not, waiters try again more often.
     *
     * @return false if the store knows of no subscription of this instance
     */
    default boolean hearsSignals() {
        return true;
    }

    /**
     * How long a command waits for its answer, and so a caller for an answer about a lock that is in doubt. Constant.
     *
     * @return above zero
     */
    Duration commandTimeout();

    /**
     * On what a take-over of the locks of this instance depends. Constant.
     *
     * @return what the tokens of this instance ask for
     */
    default TakeOverCondition takeOverCondition() {
        return TakeOverCondition.NONE;
    }

    /**
     * For how long a lock of this instance is certain after a beat was sent and answered: where a session decides,
     * which the store ends by itself when it has not heard this instance for some time, whatever the take-over times
     * and leases of the locks are. May change when the store grants a session. Returns at once.
     *
     * @return empty if the take-over times of the locks decide, as by default
     */
    default Optional<Duration> certainTime() {
        return Optional.empty();
    }
}
