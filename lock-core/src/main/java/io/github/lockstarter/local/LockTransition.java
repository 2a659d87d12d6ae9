package io.github.lockstarter.local;

import java.util.Optional;

/**
 * The effect of a command on a lock.
 *
 * @param <R> kind of result
 * @param lock the state that follows
 * @param result the answer
 * @param mail the message to an instance once the state is in place
 */
record LockTransition<R>(LocalLock lock, R result, Optional<MailboxMessage> mail) {

    static <R> LockTransition<R> quiet(LocalLock lock, R result) {
        return new LockTransition<>(lock, result, Optional.empty());
    }
}
