package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.testing.ForwardingBackend;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store in this JVM that executes commands late, some of them twice, and whose answers come late, in any order, or
 * not at all. Some signals are lost, others come twice. Knows until when the slots of a key were taken. Thread-safe.
 */
final class UnreliableStore implements AutoCloseable {

    /** A fault that the checks must find. */
    enum Planted {
        NONE(""),
        /** The release of either holder makes the lock look free, so a caller may seem to be refused a free one. */
        GRANTS_A_TAKEN_LOCK("two holders of|does not grow|released as LOST|refused though free"),
        REFUSES_A_FREE_LOCK("refused though free"),
        KEEPS_A_RELEASED_LOCK("in the store: (Held|Read)");

        /** A pattern of the violations. */
        final String found;

        Planted(String found) {
            this.found = found;
        }
    }

    static final int MOST_PERMITS = 3;

    private static final int LATE_MICROS = 1_000;
    private static final int VERY_LATE_MICROS = 20_000;

    private final Random random;
    private final Planted planted;
    private final LocalLockBackend locks = new LocalLockBackend();
    private final ScheduledExecutorService server = Executors.newScheduledThreadPool(2);
    private final Map<String, TakenSlots> taken = new HashMap<>();

    UnreliableStore(long seed, Planted planted) {
        this.random = new Random(seed);
        this.planted = planted;
    }

    /** For an engine of its own. */
    LockBackend connect() {
        return new Connection();
    }

    /** Whether at some time since then all slots below the number were taken. */
    synchronized boolean wasTaken(String key, int permits, long since) {
        TakenSlots slots = taken.get(key);
        return slots != null && slots.wereTaken(permits, since);
    }

    /** Slots that are held or kept. */
    synchronized List<StoredLock> taken() {
        return taken.keySet().stream()
                .flatMap(key -> Arrays.stream(stored(key)))
                .filter(each -> !(each instanceof StoredLock.Free))
                .toList();
    }

    private StoredLock[] stored(String key) {
        StoredLock[] all = new StoredLock[MOST_PERMITS];
        Arrays.setAll(
                all, slot -> locks.inspect(key, slot).toCompletableFuture().join());
        return all;
    }

    @Override
    public void close() {
        locks.close();
        server.shutdownNow();
    }

    private boolean isLuck(int percent) {
        return random.nextInt(100) < percent;
    }

    private void later(Runnable step) {
        server.schedule(step, random.nextInt(isLuck(2) ? VERY_LATE_MICROS : LATE_MICROS), TimeUnit.MICROSECONDS);
    }

    /** The answer to a command, which is executed twice if its connection is opened again. */
    private <R> CompletionStage<R> answer(
            String key, Supplier<CompletionStage<R>> command, Function<Throwable, R> unknown) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        boolean lost = isLuck(3);
        if (lost) {
            later(() -> answer.complete(unknown.apply(new IllegalStateException("connection reset"))));
        }
        if (!lost || isLuck(50)) {
            boolean repeated = !lost && isLuck(5);
            later(() -> {
                R first = execute(key, command);
                later(() -> {
                    R result = repeated && !(first instanceof ReleaseResult) ? execute(key, command) : first;
                    later(() -> answer.complete(result));
                });
            });
        }
        return answer;
    }

    private synchronized <R> R execute(String key, Supplier<CompletionStage<R>> command) {
        TakenSlots slots = taken.computeIfAbsent(key, TakenSlots::new);
        slots.letPass();
        R result = command.get().toCompletableFuture().join();
        slots.look();
        return result;
    }

    private final class Connection extends ForwardingBackend {

        Connection() {
            super(locks);
        }

        @Override
        public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
            return answer(command.key(), () -> acquired(command), cause -> new AcquireResult.Unknown("reset", cause));
        }

        private CompletionStage<AcquireResult> acquired(AcquireCommand command) {
            boolean mayDowngrade = command.reads(); // a refusal after the downgrade would be another fault
            if (planted == Planted.REFUSES_A_FREE_LOCK && !mayDowngrade && isLuck(20)) {
                return CompletableFuture.completedFuture(new AcquireResult.Contended(Optional.empty(), 0));
            }
            return backend.attemptAcquire(command)
                    .thenApply(result -> planted == Planted.GRANTS_A_TAKEN_LOCK
                                    && result instanceof AcquireResult.Contended
                                    && isLuck(20)
                            ? new AcquireResult.Granted(command.fencingFloor() + 1, 0)
                            : result);
        }

        @Override
        public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
            return commands.stream().map(this::renewed).toList();
        }

        private CompletionStage<RenewResult> renewed(RenewCommand command) {
            return answer(
                    command.key(),
                    () -> backend.renewLeases(List.of(command)).get(0),
                    cause -> new RenewResult.Unknown("reset", cause));
        }

        @Override
        public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
            return answer(command.key(), () -> released(command), cause -> new ReleaseResult.Unknown("reset", cause));
        }

        private CompletionStage<ReleaseResult> released(ReleaseCommand command) {
            return planted == Planted.KEEPS_A_RELEASED_LOCK && isLuck(20)
                    ? CompletableFuture.completedFuture(new ReleaseResult.Released(0))
                    : backend.releaseToken(command);
        }

        @Override
        public void listen(String instanceId, SignalListener signals) {
            backend.listen(instanceId, new Mailbox(signals));
        }
    }

    private final class Mailbox implements SignalListener {

        private final SignalListener signals;

        Mailbox(SignalListener signals) {
            this.signals = signals;
        }

        @Override
        public void onSignal(String key, int slot) {
            for (int times = isLuck(10) ? 0 : isLuck(5) ? 2 : 1; times > 0; times--) {
                later(() -> signals.onSignal(key, slot));
            }
        }

        @Override
        public void onWanted(String key) {
            if (!isLuck(10)) {
                later(() -> signals.onWanted(key));
            }
        }

        @Override
        public void onRevoked(String key, String fingerprint) {
            signals.onRevoked(key, fingerprint);
        }

        @Override
        public void onMailboxRestored() {
            signals.onMailboxRestored();
        }
    }

    /** Until when all slots below a number were taken. Guarded by the store. */
    private final class TakenSlots {

        private final String key;
        private final long begin = System.nanoTime();

        /** By the number of slots; as of the latest command, in nanoseconds since the beginning. */
        private final long[] takenUntil = new long[MOST_PERMITS + 1];

        private final long[] latest = new long[MOST_PERMITS + 1];

        TakenSlots(String key) {
            this.key = key;
            look();
        }

        void letPass() {
            long now = System.nanoTime() - begin;
            Arrays.setAll(latest, permits -> Math.max(latest[permits], Math.min(now, takenUntil[permits])));
        }

        void look() {
            long now = System.nanoTime() - begin;
            StoredLock[] slots = stored(key);
            long until = Long.MAX_VALUE;
            for (int slot = 0; slot < MOST_PERMITS; slot++) {
                until = Math.min(until, takenUntil(slots[slot], now));
                takenUntil[slot + 1] = until;
            }
        }

        private static long takenUntil(StoredLock slot, long now) {
            if (slot instanceof StoredLock.Kept kept) {
                return now + kept.remaining().toNanos();
            }
            return slot instanceof StoredLock.Held || slot instanceof StoredLock.Read ? Long.MAX_VALUE : -1;
        }

        boolean wereTaken(int permits, long since) {
            letPass();
            return latest[permits] >= since - begin;
        }
    }
}
