package io.github.lockstarter.redis.script;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.redis.failure.RedisFailure;

/** Reads the reply of the script that takes a lock away. */
public final class RevokeAnswer implements ReplyReader<Long, Revocation> {

    /** A client of another kind has the lock. */
    private static final long FOREIGN = -1;

    /** What is found instead is looked for afterwards. */
    private static final Revocation STALE = new Revocation.Stale(new StoredLock.Free(0, 0));

    @Override
    public Revocation of(Long status) {
        if (status == FOREIGN) {
            return new Revocation.Foreign();
        }
        return status == LockCommands.NOT_HELD ? STALE : new Revocation.Revoked();
    }

    /**
     * What the second copy finds changed, the first one may have done; the lock may have been granted to the next
     * since.
     */
    @Override
    public Revocation ofRepeated(Long status) {
        Revocation revocation = of(status);
        return revocation instanceof Revocation.Revoked
                ? revocation
                : new Revocation.Unknown(
                        "The connection broke and the client sent the command again: the first copy may have taken"
                                + " the lock away, and the second no longer found it. Read the lock again");
    }

    @Override
    public Revocation failed(RedisFailure failure) {
        return new Revocation.Unknown(failure.reason());
    }
}
