package io.github.lockstarter;

/**
 * A later holder of the lock has reached the protected resource before this one, which has lost the lock: what it has
 * read may be out of date, and it must not write. Thrown by the resource's fence, in a transaction that is to be rolled
 * back.
 */
public final class OvertakenException extends LockLostException {

    /**
     * Creates the exception.
     *
     * @param key the lock's key
     * @param fencingToken of the holder that is refused
     * @param greatest fencing token that the resource has seen
     */
    public OvertakenException(String key, long fencingToken, long greatest) {
        super(
                key,
                "Lock '" + LockRequest.printable(key) + "' was lost: a later holder, with fencing token " + greatest
                        + ", has been here before this one, with " + fencingToken + ". Nothing was written; call the"
                        + " method again, which acquires the lock anew");
    }
}
