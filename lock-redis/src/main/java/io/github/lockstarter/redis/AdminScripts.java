package io.github.lockstarter.redis;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Inspects and revokes locks for operators. A revocation is a release with the stored text that was read before, so it
 * takes nothing from a later owner.
 */
record AdminScripts(ScriptRunner runner, KeySpace keySpace, ClientHistories histories) {

    static final Reader<Revocation> REVOKE_READER = new RevokeReader();

    private static final Reader<InspectedLock> LOOK_READER = new LookReader();

    private static final String REVOKED = "revoked";

    /** @param stored lock's whole text; empty if it is free, not ours, or unknown */
    private record InspectedLock(StoredLock lock, String stored) {}

    public static ScriptCall inspect(LockKeys keys, int slot, ServerHistory history) {
        return new ScriptCall(
                LockScript.INSPECT,
                new String[] {KeySpace.slotOf(keys.lock(), slot), keys.waiters(), history.key(), history.takeoversKey()
                },
                history.known(),
                history.terms().graceText());
    }

    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return look(key, slot).thenApply(InspectedLock::lock);
    }

    private CompletionStage<InspectedLock> look(String key, int slot) {
        return runner.whenOpen(
                keySpace,
                () -> {
                    LockKeys keys = keySpace.keysOf(key);
                    return runner.run(inspect(keys, slot, histories.of(keys.lock())), LOOK_READER);
                },
                LOOK_READER::failed);
    }

    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return look(key, slot).thenCompose(look -> {
            if (look.lock instanceof StoredLock.Unknown unknown) {
                return CompletableFuture.completedFuture(new Revocation.Unknown(unknown.reason()));
            }
            if (look.lock instanceof StoredLock.Held held && held.holder().isEmpty()) {
                return CompletableFuture.completedFuture(new Revocation.Foreign());
            }
            return isStale(look, fencingToken)
                    ? CompletableFuture.completedFuture(new Revocation.Stale(look.lock))
                    : revoke(key, slot, look.stored);
        });
    }

    private static boolean isStale(InspectedLock look, long fencingToken) {
        return look.stored.isEmpty() || look.lock.fencingToken() != fencingToken;
    }

    private CompletionStage<Revocation> revoke(String key, int slot, String stored) {
        LockKeys keys = keySpace.keysOf(key);
        ScriptCall release = new ScriptCall(
                LockScript.RELEASE,
                new String[] {KeySpace.slotOf(keys.lock(), slot), keys.waiters()},
                stored,
                keys.name(),
                ReleaseScript.counting(keySpace),
                REVOKED);
        return ReleaseScript.run(runner, release, REVOKE_READER)
                .thenCompose(revocation -> revocation instanceof Revocation.Stale
                        ? inspect(key, slot).thenApply(Revocation.Stale::new)
                        : CompletableFuture.completedFuture(revocation));
    }

    private static final class LookReader implements Reader<InspectedLock> {

        private static final String FOREIGN = "?";

        private static final int RECOVERING = 4;
        private static final int MARKED = 5;
        private static final int STORED = 6;

        @Override
        public InspectedLock of(List<Object> reply, boolean repeated) {
            return new InspectedLock(lock(reply), (String) reply.get(STORED));
        }

        private static StoredLock lock(List<Object> reply) {
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
        public InspectedLock failed(RedisFailure failure) {
            return new InspectedLock(new StoredLock.Unknown(failure.reason()), "");
        }
    }

    private static final class RevokeReader implements Reader<Revocation> {

        private static final Revocation STALE = new Revocation.Stale(new StoredLock.Free(0, 0));

        /** If a second copy finds a change, the first copy may have made it; another owner may hold the lock since. */
        @Override
        public Revocation of(List<Object> reply, boolean repeated) {
            if ((Long) reply.get(0) > ReleaseScript.NOT_HELD) {
                return new Revocation.Revoked();
            }
            return repeated
                    ? new Revocation.Unknown(
                            "The connection broke and the client sent the command again: the first copy may have taken"
                                    + " the lock away, and the second no longer found it. Read the lock again")
                    : STALE;
        }

        @Override
        public Revocation failed(RedisFailure failure) {
            return new Revocation.Unknown(failure.reason());
        }
    }
}
