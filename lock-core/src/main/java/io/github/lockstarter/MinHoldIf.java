package io.github.lockstarter;

import java.util.concurrent.CompletionStage;

/** Whether a {@linkplain LockRequest#minHold minimum hold} depends on the outcome of the work. */
public enum MinHoldIf {
    /** Uses {@code distributed-lock.locks.<name>.min-hold-if}, by default {@link #ALWAYS}. */
    AS_CONFIGURED,
    /** The minimum hold applies whatever the outcome, even if the holder crashes. */
    ALWAYS,
    /**
     * The minimum hold applies only after success; otherwise the lock is free at the release.
     *
     * <p>A locked method or {@link LockOperations#execute} action succeeds if it returns and holds the lock until then;
     * a {@link CompletionStage} that it returns must have a result, and no other future counts. Asynchronous work
     * succeeds if it ends normally before its caller cancels, completes or loses the call. With {@link
     * InTransaction#RELEASE_AFTER}, the commit is the success. For other handles, call {@link
     * LockHandle#recordSuccess}.
     */
    SUCCESS
}
