package io.github.lockstarter.local;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Locks inside this JVM, so that an application's tests need no store. Excludes no thread of another JVM: never for
 * production. Lock clients that share one instance exclude each other as if they were applications of their own.
 *
 * <p>Kept per key: the current hold, the last fencing token, and the waiting instances, first come first. A lease ends
 * by the monotonic clock; nothing runs when it does, the next command finds the lock free. Fencing tokens grow over all
 * keys together. Every command is answered before it returns, by the caller's thread, under one monitor; signals come
 * on a daemon thread that ends when idle.
 *
 * <p>Known hole: the state lives and dies with this object.
 */
public final class LocalLockBackend implements LockBackend {

    /** How many keys are kept, unused ones too, so that a release that is sent twice gets the same answer twice. */
    static final int REMEMBERED = 1_000;

    private static final String CLOSED = "The in-JVM lock backend is closed";

    /** Those that are used longest ago first. Guarded by this object, as the locks are. */
    private final Map<Place, Lock> locks = new LinkedHashMap<>(16, 0.75f, true);

    /** The greatest fencing token or place in a queue that was given out. */
    private long latest;

    private final Map<String, SignalListener> listeners = new ConcurrentHashMap<>();

    /** Of its own: a listener may at once send the next command, whose release sends the next signal. */
    private final ThreadPoolExecutor postman = LockThreads.pool("lock-local-signals", 1, Duration.ofSeconds(1));

    private final LongSupplier monotonicNanos;
    private final InstantSource wall;
    private volatile boolean closed;

    /** Creates an empty backend on the clock of this machine. */
    public LocalLockBackend() {
        this(System::nanoTime);
    }

    /**
     * Creates an empty backend whose leases end by the given clock, so that a test can let time pass.
     *
     * @param monotonicNanos as {@link System#nanoTime()}
     */
    public LocalLockBackend(LongSupplier monotonicNanos) {
        this(monotonicNanos, InstantSource.system());
    }

    LocalLockBackend(LongSupplier monotonicNanos, InstantSource wall) {
        this.monotonicNanos = monotonicNanos;
        this.wall = wall;
        postman.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        if (closed) {
            return done(new AcquireResult.Rejected(CLOSED, new IllegalStateException("closed")));
        }
        synchronized (this) {
            Lock lock = chosen(command);
            AcquireResult result = lock.acquire(command);
            locks.put(lock.line.place, lock.line);
            locks.put(lock.place, lock);
            forgetUnused();
            return done(result);
        }
    }

    @Override
    public synchronized List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return commands.stream()
                .map(command -> done(lock(command.key(), command.slot()).renew(command)))
                .toList();
    }

    @Override
    public synchronized CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        ReleaseResult result = new ReleaseResult.NotHeld();
        Slots slots = command.slots();
        for (int slot = slots.from(); slot < slots.from() + slots.count(); slot++) {
            ReleaseResult one = lock(command.key(), slot).release(command);
            result = one instanceof ReleaseResult.NotHeld ? result : one;
        }
        return done(result);
    }

    @Override
    public synchronized CompletionStage<StoredLock> inspect(String key, int slot) {
        return done(lock(key, slot).seen());
    }

    @Override
    public synchronized CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return done(lock(key, slot).revoke(fencingToken));
    }

    @Override
    public CompletionStage<StoreState> state() {
        return done(new StoreState("this JVM", closed ? Optional.of(CLOSED) : Optional.empty()));
    }

    @Override
    public CrashTakeOver crashTakeOver() {
        return CrashTakeOver.UNNEEDED;
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        listeners.put(instanceId, listener);
    }

    /** Where locks are kept. */
    @Override
    public String toString() {
        return "this JVM";
    }

    /** Refuses further grants and sends no more signals; a holder can still release its lock. Idempotent. */
    @Override
    public void close() {
        closed = true;
        postman.shutdown();
    }

    /** How many keys are kept in memory. */
    synchronized int size() {
        return locks.size();
    }

    /** The key's lock, at the present time. A new one is kept if it is acquired, or waited for. */
    private Lock lock(String key, int slot) {
        Place place = new Place(key, slot);
        Lock known = locks.get(place);
        Lock lock = known == null ? new Lock(place) : known;
        lock.line = slot == 0 ? lock : lock(key, 0);
        lock.passTo(monotonicNanos.getAsLong());
        return lock;
    }

    /** The slot that the token has; else the first that is free; else the one that is free next. */
    private Lock chosen(AcquireCommand command) {
        if (command.permits() == 1) {
            return lock(command.key(), 0);
        }
        List<Lock> slots = IntStream.range(0, command.permits())
                .mapToObj(slot -> lock(command.key(), slot))
                .toList();
        return slots.stream()
                .filter(slot -> command.token().equals(slot.owner))
                .findFirst()
                .or(() -> slots.stream().filter(slot -> !slot.isTaken).findFirst())
                .orElseGet(() -> Collections.min(slots, Comparator.comparing(Lock::remaining)));
    }

    /**
     * Looks at the two oldest: what is unused goes, what is used counts as the newest. With each attempt one key comes
     * at most and up to two go, so beyond {@value #REMEMBERED} there are about as many unused ones as used ones at
     * most.
     */
    private void forgetUnused() {
        for (int looks = 0; looks < 2 && locks.size() > REMEMBERED; looks++) {
            Iterator<Lock> oldest = locks.values().iterator();
            Lock lock = oldest.next();
            lock.passTo(monotonicNanos.getAsLong());
            oldest.remove();
            if (lock.isUsed()) {
                locks.put(lock.place, lock);
            }
        }
    }

    /** A number above all before, and at least the time in microseconds: it also grows across restarts of the JVM. */
    private long next() {
        return nextAbove(0, 1);
    }

    /** The first of so many in a row. */
    private long nextAbove(long floor, int many) {
        Instant now = wall.instant();
        long micros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        long first = Math.max(Math.max(micros, floor + 1), latest + 1);
        latest = first + many - 1;
        return first;
    }

    private void tell(String instanceId, Consumer<SignalListener> message) {
        SignalListener listener = listeners.get(instanceId);
        if (listener != null) {
            postman.execute(() -> message.accept(listener));
        }
    }

    private static <R> CompletionStage<R> done(R result) {
        return CompletableFuture.completedFuture(result);
    }

    /** What is held: a key, or a further slot of it. */
    private record Place(String key, int slot) {}

    /** An instance that waits, and until when it is believed to. */
    private record Waiter(String instanceId, long position, long deadline) {

        boolean isOf(String instance) {
            return instanceId.equals(instance);
        }
    }

    /**
     * The state of one key, or of a further slot of it, which shares the queue of the first. Times are monotonic
     * nanoseconds, which may overflow: they are only ever subtracted.
     */
    private final class Lock {

        private final Place place;

        /** The lock that has the queue, as of the latest command. */
        private Lock line = this;

        private long now;

        /** Whether it is held, or kept for a minimum time: until the deadline. */
        private boolean isTaken;

        /** Null while the lock is free or kept. */
        private @Nullable LockToken owner;

        private long grantedAt;
        private long deadline;

        /** The last that was granted; 0 if there was none. */
        private long fencingToken;

        /** The longest-waiting first. Of the line. */
        private List<Waiter> waiters = List.of();

        Lock(Place place) {
            this.place = place;
        }

        /** Ends what is over. */
        void passTo(long present) {
            now = present;
            if (isTaken && deadline - now <= 0) {
                free();
            }
            if (!waiters.isEmpty()) {
                waiters = waiters.stream()
                        .filter(waiter -> waiter.deadline() - now > 0)
                        .toList();
            }
        }

        boolean isUsed() {
            return isTaken || !waiters.isEmpty();
        }

        AcquireResult acquire(AcquireCommand command) {
            boolean again = command.token().equals(owner);
            if (isTaken && !again) {
                return contend(command);
            }
            int many = command.fencingTokens();
            long first = again ? raised(command) : nextAbove(command.fencingFloor(), many);
            List<Waiter> others = waitersBut(command.token().instanceId());
            if (!again) {
                grantedAt = now;
                deadline = now + command.lease().toNanos();
                owner = command.token();
                isTaken = true;
            }
            fencingToken = first + many - 1;
            if (command.waiting().isPresent()) {
                line.waiters =
                        others; // it has what its instance waited for; one that only tried leaves the queue to those
            }
            return new AcquireResult.Granted(first, others.size(), Optional.empty(), "", place.slot);
        }

        /** The first of the owner's fencing tokens, which it may ask to be greater. */
        private long raised(AcquireCommand command) {
            long first = fencingToken - command.fencingTokens() + 1;
            if (first > command.fencingFloor()) {
                return first;
            }
            latest = Math.max(latest, command.fencingFloor() + command.fencingTokens());
            return command.fencingFloor() + 1;
        }

        private AcquireResult contend(AcquireCommand command) {
            long position = command.waiting().isPresent()
                    ? queue(command.token().instanceId(), command.waiting().get(), command.permits())
                    : Waiting.NEW;
            Optional<LockHolder> holder =
                    Optional.ofNullable(owner).filter(LockToken::tellsOwner).map(LockToken::holder);
            return new AcquireResult.Contended(Optional.of(remaining()), position, holder, owner == null);
        }

        /** At the earlier of the place that the instance has and the one it names; else at the end of the queue. */
        private long queue(String instanceId, Waiting waiting, int permits) {
            Set<String> owners = new HashSet<>();
            for (int each = 0; each < permits; each++) {
                LockToken has = lock(place.key, each).owner;
                owners.add(has == null ? instanceId : has.instanceId());
            }
            boolean isFirst = line.waiters.stream().allMatch(waiter -> owners.contains(waiter.instanceId()));
            long named = waiting.position();
            long position = line.waiters.stream()
                    .filter(waiter -> waiter.isOf(instanceId))
                    .mapToLong(Waiter::position)
                    .map(registered -> named == Waiting.NEW ? registered : Math.min(registered, named))
                    .findAny()
                    .orElseGet(() -> named == Waiting.NEW ? next() : named);
            register(instanceId, position, waiting.patience());
            if (isFirst) {
                owners.remove(instanceId);
                owners.forEach(each -> tell(each, listener -> listener.onWanted(place.key)));
            }
            return position;
        }

        private void register(String instanceId, long position, Duration patience) {
            List<Waiter> queue = new ArrayList<>(waitersBut(instanceId));
            queue.add(new Waiter(instanceId, position, now + patience.toNanos()));
            queue.sort(Comparator.comparingLong(Waiter::position).thenComparing(Waiter::instanceId));
            line.waiters = queue;
        }

        RenewResult renew(RenewCommand command) {
            if (!command.token().equals(owner)) {
                return new RenewResult.NotHeld();
            }
            deadline = now + Math.max(command.lease().toNanos(), deadline - now);
            return new RenewResult.Renewed();
        }

        ReleaseResult release(ReleaseCommand command) {
            if (command.endsWait()) {
                return endWait(command.token());
            }
            if (command.token().equals(owner)) {
                leave(command.atLeast());
                int signalled = command.requeue().isEmpty()
                        ? wake()
                        : wakeAndQueue(
                                command.token().instanceId(), command.requeue().get());
                return isTaken ? new ReleaseResult.Kept(remaining(), signalled) : new ReleaseResult.Released(signalled);
            }
            boolean nobodySince = fencingToken != 0 && fencingToken == command.fencingToken();
            if (!nobodySince || owner != null) {
                return new ReleaseResult.NotHeld();
            }
            return isTaken ? new ReleaseResult.Kept(remaining(), 0) : new ReleaseResult.Released(0);
        }

        /** Keeps the lock for what is left of the minimum time. */
        private void leave(Duration atLeast) {
            owner = null;
            deadline = grantedAt + atLeast.toNanos();
            isTaken = deadline - now > 0;
        }

        private ReleaseResult endWait(LockToken token) {
            line.waiters = waitersBut(token.instanceId());
            if (token.equals(owner)) {
                free();
            }
            // Free or kept: the signal of the last release may have gone to the instance that now leaves.
            return new ReleaseResult.Released(owner == null ? wake() : 0);
        }

        /** For an operator: without its owner, or the rest of its minimum time. */
        Revocation revoke(long seen) {
            if (!isTaken || fencingToken != seen) {
                return new Revocation.Stale(seen());
            }
            LockToken revoked = owner;
            free();
            wake();
            if (revoked != null) {
                tell(revoked.instanceId(), listener -> listener.onRevoked(place.key, revoked.fingerprint()));
            }
            return new Revocation.Revoked();
        }

        /** As an operator sees it. */
        StoredLock seen() {
            if (!isTaken) {
                return new StoredLock.Free(fencingToken, line.waiters.size());
            }
            return owner == null
                    ? new StoredLock.Kept(remaining(), fencingToken, line.waiters.size())
                    : new StoredLock.Held(
                            Optional.of(owner.holder()), Optional.of(remaining()), fencingToken, line.waiters.size());
        }

        /** Signals the first waiter that listens, which leaves the queue as those before it do. How many that is. */
        private int wake() {
            List<Waiter> reachable = line.waiters.stream()
                    .filter(waiter -> !closed && listeners.containsKey(waiter.instanceId()))
                    .toList();
            if (reachable.isEmpty()) {
                line.waiters = reachable;
                return 0;
            }
            line.waiters = reachable.subList(1, reachable.size());
            tell(reachable.get(0).instanceId(), listener -> listener.onSignal(place.key));
            return 1;
        }

        /**
         * A place that the instance had before is spent, since it had the lock; it gets one behind the instance that is
         * signalled, or if the lock is kept.
         */
        private int wakeAndQueue(String instanceId, Duration patience) {
            line.waiters = waitersBut(instanceId);
            int signalled = wake();
            if (signalled > 0 || isTaken) {
                register(instanceId, next(), patience);
            }
            return signalled;
        }

        private void free() {
            isTaken = false;
            owner = null;
        }

        private Duration remaining() {
            return Duration.ofNanos(deadline - now);
        }

        private List<Waiter> waitersBut(String instanceId) {
            return line.waiters.isEmpty()
                    ? line.waiters
                    : line.waiters.stream()
                            .filter(waiter -> !waiter.isOf(instanceId))
                            .toList();
        }
    }
}
