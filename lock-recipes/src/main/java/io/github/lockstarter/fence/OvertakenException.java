package io.github.lockstarter.fence;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;

/**
 * Thrown by a resource's fence: a later holder of the lock has already used the resource, so this holder has lost the
 * lock, may have read outdated data and must not write. Do not catch it inside the transaction, which must roll back.
 */
public final class OvertakenException extends LockLostException {

    /**
     * Creates the exception.
     *
     * @param key key
     * @param fencingToken refused holder's fencing token
     * @param greatest greatest fencing token that the resource has seen
     */
    public OvertakenException(String key, long fencingToken, long greatest) {
        super(
                key,
                "Lost lock '" + LockRequest.printable(key) + "' (fencing token " + fencingToken
                        + "): a later holder, with fencing token " + greatest + ", has already used the protected data,"
                        + " so this access was refused. Retry the whole locked method: it acquires the lock and reads"
                        + " the data again");
    }
}
