package io.github.lockstarter.integration;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;

/** What one thread holds of one lock, and how often it has entered. Only that thread uses it. */
final class ThreadHold {

    private final LockHandle handle;
    private int entries = 1;

    ThreadHold(LockHandle handle) {
        this.handle = handle;
    }

    LockHandle handle() {
        return handle;
    }

    /**
     * Once more. Asks the store only if the lock is in doubt.
     *
     * @throws LockLostException when the lock is lost
     */
    boolean enter() {
        handle.ensureHeld();
        entries++;
        return true;
    }

    /**
     * Once more, if the store confirms that the lock is held, or does not answer while it is certainly held.
     *
     * @return false when the lock is lost
     * @throws LockBackendException when it is unknown whether another owner has the lock
     */
    boolean tryEnter() {
        try {
            // Asks for less time than there is: the question is what counts.
            handle.extend(LockRequest.ofAll(handle.keys()).leasedFor(LockRequest.MIN_LEASE));
        } catch (LockLostException e) {
            return false;
        } catch (LockBackendException e) {
            if (handle.state() == HoldState.LOST) {
                return false;
            }
            if (!handle.isHeld()) {
                throw e;
            }
        }
        entries++;
        return true;
    }

    /** Once less. True if that was the last one. */
    boolean exit() {
        return --entries == 0;
    }

    /**
     * To be called by a thread that leaves an inner entry.
     *
     * @throws LockLostException when the lock is lost
     */
    void throwIfLost() {
        if (handle.state() == HoldState.LOST) {
            handle.ensureHeld();
        }
    }

    /**
     * To be called by a thread that leaves the last entry.
     *
     * @throws LockLostException when the lock is lost
     */
    void release() {
        handle.close();
    }

    /** Gives up what is lost. Does not wait for the store, which may be the reason for the loss. */
    void discard() {
        handle.closeAsync();
    }
}
