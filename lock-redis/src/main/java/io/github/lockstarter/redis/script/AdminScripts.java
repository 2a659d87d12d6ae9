package io.github.lockstarter.redis.script;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Calls and results of the operators' scripts. */
public final class AdminScripts {

    public static final Reader<StoredLock> INSPECT_READER = new InspectReader();

    public static final Reader<Revocation> REVOKE_READER = new RevokeReader();

    /** Index in the reply of {@link #inspect}. */
    private static final int RECOVERING = 4;

    /** Index in the reply of {@link #inspect}. */
    private static final int MARKED = 5;

    private final KeySpace keySpace;
    private final boolean isCluster;

    /** @param isCluster whether {@code PUBLISH} counts only listeners of its own node */
    public AdminScripts(KeySpace keySpace, boolean isCluster) {
        this.keySpace = keySpace;
        this.isCluster = isCluster;
    }

    public static ScriptCall inspect(LockKeys keys, int slot, ServerHistory history) {
        return new ScriptCall(
                LockScript.INSPECT,
                new String[] {KeySpace.slotOf(keys.lock(), slot), keys.waiters(), history.key()},
                history.known(),
                ScriptCall.millis(history.terms().grace()));
    }

    public ScriptCall revoke(String key, int slot, long fencingToken) {
        LockKeys keys = keySpace.keysOf(key);
        return new ScriptCall(
                LockScript.REVOKE,
                new String[] {KeySpace.slotOf(keys.lock(), slot), keys.waiters()},
                Long.toString(fencingToken),
                keys.name(),
                ReleaseScript.counting(isCluster));
    }

    private static final class InspectReader implements Reader<StoredLock> {

        /** The owner is not a client of this library. */
        private static final String FOREIGN = "?";

        @Override
        public StoredLock of(List<Object> reply, boolean isRepeated) {
            String owner = (String) reply.get(0);
            long remaining = (Long) reply.get(1);
            long fencingToken = (Long) reply.get(2);
            long waiting = (Long) reply.get(3);
            if (owner.isEmpty()) {
                return new StoredLock.Free(0, waiting, Duration.ofMillis((Long) reply.get(RECOVERING)));
            }
            if (owner.equals(ReleaseScript.KEPT)) {
                return new StoredLock.Kept(Duration.ofMillis(Math.max(0, remaining)), fencingToken, waiting);
            }
            Optional<LockHolder> holder =
                    owner.equals(FOREIGN) ? Optional.empty() : Optional.of(LockToken.holderOf(owner));
            return new StoredLock.Held(
                    holder, duration(remaining), fencingToken, waiting, duration((Long) reply.get(MARKED)));
        }

        private static Optional<Duration> duration(long millis) {
            return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        }

        @Override
        public StoredLock failed(RedisFailure failure) {
            return new StoredLock.Unknown(failure.reason());
        }
    }

    private static final class RevokeReader implements Reader<Revocation> {

        /** The owner is not a client of this library. */
        private static final long FOREIGN = -1;

        /** The caller reads the lock afterwards. */
        private static final Revocation STALE = new Revocation.Stale(new StoredLock.Free(0, 0));

        /** If a second copy finds a change, the first copy may have made it; another owner may hold the lock since. */
        @Override
        public Revocation of(List<Object> reply, boolean isRepeated) {
            long status = (Long) reply.get(0);
            if (status != FOREIGN && status != ReleaseScript.NOT_HELD) {
                return new Revocation.Revoked();
            }
            if (isRepeated) {
                return new Revocation.Unknown(
                        "The connection broke and the client sent the command again: the first copy may have taken"
                                + " the lock away, and the second no longer found it. Read the lock again");
            }
            return status == FOREIGN ? new Revocation.Foreign() : STALE;
        }

        @Override
        public Revocation failed(RedisFailure failure) {
            return new Revocation.Unknown(failure.reason());
        }
    }
}
