package io.github.lockstarter.redis;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Inspects and revokes locks for operators. A revocation is a release with the stored text that was read before, so it
 * takes nothing from a later owner.
 */
record AdminScripts(ScriptRunner runner, KeySpace keySpace, ClientHistories histories) {

    static final Reader<Revocation> REVOKE_READER = new RevokeReader();

    private static final String REVOKED = "revoked";

    /** @param slots the slot that was looked at, or those of its readers */
    private record InspectedLock(StoredLock lock, List<InspectedSlot> slots) {}

    /** @param stored the whole text; empty if it is free or not ours */
    private record InspectedSlot(int slot, long fencingToken, String stored) {}

    public static ScriptCall inspect(LockKeys keys, int slot, ServerHistory history) {
        Stream<String> readers = slot == 0 ? KeySpace.slotsOf(keys.lock(), Slots.OF_READERS).stream() : Stream.empty();
        Stream<String> others =
                Stream.of(KeySpace.slotOf(keys.lock(), slot), keys.waiters(), history.key(), history.takeoversKey());
        return new ScriptCall(
                LockScript.INSPECT,
                Stream.concat(readers, others).toArray(String[]::new),
                history.known(),
                history.terms().graceText());
    }

    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return look(key, slot).thenApply(InspectedLock::lock);
    }

    private CompletionStage<InspectedLock> look(String key, int slot) {
        LookReader reader = new LookReader(slot);
        return runner.whenOpen(
                keySpace,
                () -> {
                    LockKeys keys = keySpace.keysOf(key);
                    return runner.run(inspect(keys, slot, histories.of(keys.lock())), reader);
                },
                reader::failed);
    }

    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return look(key, slot).thenCompose(look -> {
            if (look.lock instanceof StoredLock.Unknown unknown) {
                return CompletableFuture.completedFuture(new Revocation.Unknown(unknown.reason()));
            }
            if (look.lock instanceof StoredLock.Held held && held.holder().isEmpty()) {
                return CompletableFuture.completedFuture(new Revocation.Foreign());
            }
            return look.slots.stream()
                    .filter(found -> !isStale(found, fencingToken))
                    .findFirst()
                    .map(found -> revoke(key, found))
                    .orElseGet(() -> CompletableFuture.completedFuture(new Revocation.Stale(look.lock)));
        });
    }

    private static boolean isStale(InspectedSlot found, long fencingToken) {
        return found.stored.isEmpty() || found.fencingToken != fencingToken;
    }

    private CompletionStage<Revocation> revoke(String key, InspectedSlot found) {
        LockKeys keys = keySpace.keysOf(key);
        ScriptCall release = Slots.OF_READERS.contains(found.slot)
                ? ReleaseScript.ofReader(keySpace, key, found.stored, REVOKED, ScriptCall.ABSENT)
                : new ScriptCall(
                        LockScript.RELEASE,
                        new String[] {KeySpace.slotOf(keys.lock(), found.slot), keys.waiters()},
                        found.stored,
                        keys.name(),
                        ReleaseScript.counting(keySpace),
                        REVOKED);
        return ReleaseScript.run(runner, release, REVOKE_READER)
                .thenCompose(revocation -> revocation instanceof Revocation.Stale
                        ? inspect(key, found.slot).thenApply(Revocation.Stale::new)
                        : CompletableFuture.completedFuture(revocation));
    }

    /** A list for the slot, followed by those of its readers, which differ in the number of the slot. */
    private record LookReader(int slot) implements Reader<InspectedLock> {

        private static final String FOREIGN = "?";

        private static final int FENCING = 2;
        private static final int WAITING = 3;
        private static final int SLOT = 3;
        private static final int RECOVERING = 4;
        private static final int MARKED = 5;
        private static final int STORED = 6;
        private static final int READERS = 7;

        @Override
        public InspectedLock of(List<Object> reply, boolean repeated) {
            long waiting = (Long) reply.get(WAITING);
            return reply.get(0).equals(AcquireScript.READ_BY)
                    ? read(reply, waiting)
                    : new InspectedLock(lock(reply, waiting), List.of(found(reply, slot)));
        }

        private static InspectedLock read(List<Object> reply, long waiting) {
            SortedMap<Integer, StoredLock.Held> readers = new TreeMap<>();
            List<InspectedSlot> slots = new ArrayList<>();
            for (Object each : reply.subList(READERS, reply.size())) {
                List<?> reader = (List<?>) each;
                int of = Slots.OF_READERS.from() - 1 + ((Long) reader.get(SLOT)).intValue();
                readers.put(of, held(reader, waiting));
                slots.add(found(reader, of));
            }
            StoredLock lock =
                    readers.isEmpty() ? new StoredLock.Free(0, waiting) : new StoredLock.Read(readers, waiting);
            return new InspectedLock(lock, slots);
        }

        private static InspectedSlot found(List<?> reply, int slot) {
            return new InspectedSlot(slot, (Long) reply.get(FENCING), (String) reply.get(STORED));
        }

        private static StoredLock lock(List<Object> reply, long waiting) {
            String owner = (String) reply.get(0);
            if (owner.isEmpty()) {
                return new StoredLock.Free(0, waiting, Duration.ofMillis((Long) reply.get(RECOVERING)));
            }
            return owner.equals(ReleaseScript.KEPT)
                    ? new StoredLock.Kept(
                            duration(reply.get(1)).orElse(Duration.ZERO), (Long) reply.get(FENCING), waiting)
                    : held(reply, waiting);
        }

        private static StoredLock.Held held(List<?> reply, long waiting) {
            String owner = (String) reply.get(0);
            Optional<LockHolder> holder =
                    owner.equals(FOREIGN) ? Optional.empty() : Optional.of(LockToken.holderOf(owner));
            return new StoredLock.Held(
                    holder, duration(reply.get(1)), (Long) reply.get(FENCING), waiting, duration(reply.get(MARKED)));
        }

        private static Optional<Duration> duration(Object millis) {
            return (Long) millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis((Long) millis));
        }

        @Override
        public InspectedLock failed(RedisFailure failure) {
            return new InspectedLock(new StoredLock.Unknown(failure.reason()), List.of());
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
