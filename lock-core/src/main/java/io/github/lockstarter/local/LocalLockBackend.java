package io.github.lockstarter.local;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Locks inside this JVM, for tests without a store. Other JVMs are not excluded: never use it in production. Lock
 * clients that share one instance exclude each other like separate applications.
 *
 * <p>Keeps per key the current hold, the last fencing token, and the queue of waiting instances. The next command
 * detects the end of a lease, by the monotonic clock. Fencing tokens grow over all keys together. Commands are answered
 * on the caller's thread under one monitor; a daemon thread, which ends when idle, sends signals.
 *
 * <p>Known hole: the state ends with this object.
 */
public final class LocalLockBackend implements LockBackend {

    /** Number of keys kept, including unused ones, so that a release sent twice gets the same answer twice. */
    static final int REMEMBERED = 1_000;

    private static final String CLOSED = "The in-JVM lock backend is closed";

    /** Least recently used first. Guarded by this object, like the locks. */
    private final Map<Place, LocalLock> locks = new LinkedHashMap<>(16, 0.75f, true);

    /** The greatest fencing token or queue position so far. */
    private long latest;

    private final Map<String, SignalListener> listeners = new ConcurrentHashMap<>();

    /** Separate, since a listener may send a release, which sends the next signal. */
    private final ThreadPoolExecutor postman = LockThreads.pool("lock-local-signals", 1, Duration.ofSeconds(1));

    private final LongSupplier monotonicNanos;
    private final InstantSource wall;
    private volatile boolean closed;

    /** Creates an empty backend on the system clock. */
    public LocalLockBackend() {
        this(System::nanoTime);
    }

    /**
     * Creates an empty backend on a given clock, so that a test can let time pass.
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
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        if (closed) {
            return done(new AcquireResult.Rejected(CLOSED, new IllegalStateException("closed")));
        }
        synchronized (this) {
            LocalLock lock = chosen(command);
            boolean downgrades = command.reads() && lock.line.isOf(command) && !lock.taken;
            if (downgrades) {
                lock.takeFromWriter();
            }
            List<LocalLock> busy = lock.isOf(command) ? List.of() : excluding(command, lock);
            AcquireResult result = busy.isEmpty() ? lock.grant(command) : lock.contend(command, busy);
            locks.put(lock.line.place, lock.line);
            locks.put(lock.place, lock);
            forgetUnused();
            return done(result);
        }
    }

    @Override
    public synchronized List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return commands.stream()
                .map(command -> done(lock(command.key(), command.slot()).renewLease(command)))
                .toList();
    }

    @Override
    public synchronized CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        ReleaseResult result = new ReleaseResult.NotHeld();
        Slots slots = command.slots();
        for (int slot = slots.from(); slot < slots.from() + slots.count(); slot++) {
            ReleaseResult one = lock(command.key(), slot).releaseHold(command);
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
        LocalLock lock = lock(key, slot);
        Optional<LocalLock> reader = lock.readers().stream()
                .filter(each -> each.fencingToken == fencingToken)
                .findFirst();
        return done(reader.orElse(lock).revoke(fencingToken));
    }

    @Override
    public CompletionStage<StoreState> state() {
        return done(new StoreState("this JVM", closed ? Optional.of(CLOSED) : Optional.empty()));
    }

    @Override
    public CrashTakeover crashTakeover() {
        return CrashTakeover.UNNEEDED;
    }

    /** {@inheritDoc} Clients that share this backend have a listener each. */
    @Override
    public void listen(String instanceId, SignalListener listener) {
        listeners.values().removeIf(listener::equals);
        listeners.put(instanceId, listener);
    }

    @Override
    public String toString() {
        return "this JVM";
    }

    /** Refuses further grants and sends no more signals; holders can still release. */
    @Override
    public void close() {
        closed = true;
        postman.shutdown();
    }

    synchronized int size() {
        return locks.size();
    }

    /** The key's lock at the present time. A new one is stored only by an attempt. */
    private LocalLock lock(String key, int slot) {
        Place place = new Place(key, slot);
        LocalLock known = locks.get(place);
        LocalLock lock = known == null ? new LocalLock(place) : known;
        lock.line = slot == 0 ? lock : lock(key, 0);
        lock.passTo(monotonicNanos.getAsLong());
        return lock;
    }

    private LocalLock chosen(AcquireCommand command) {
        if (command.slots().count() == 1) {
            return lock(command.key(), 0);
        }
        List<LocalLock> slots = locks(command.key(), command.slots());
        return slots.stream()
                .filter(slot -> command.token().equals(slot.owner))
                .findFirst()
                .or(() -> slots.stream().filter(slot -> !slot.taken).findFirst())
                .orElseGet(() -> Collections.min(slots, Comparator.comparing(LocalLock::remaining)));
    }

    private List<LocalLock> locks(String key, Slots slots) {
        return IntStream.range(slots.from(), slots.end())
                .mapToObj(slot -> lock(key, slot))
                .toList();
    }

    /** Slots whose owners exclude the attempt for a slot; empty if it may be granted. */
    private List<LocalLock> excluding(AcquireCommand command, LocalLock slot) {
        LocalLock line = slot.line;
        List<LocalLock> readers = line.readers();
        if (command.replaced().isPresent()) {
            return slot.isOf(command.replaced().get()) ? List.of() : List.of(slot);
        }
        if (command.reads() && line.taken) {
            return List.of(line);
        }
        if (command.reads() && !readers.isEmpty() && line.isWaitedForBefore(command)) {
            return readers;
        }
        if (slot.taken) {
            return locks(command.key(), command.slots());
        }
        return slot == line ? readers : List.of();
    }

    /**
     * Removes the two oldest locks if unused, and moves used ones to the end. An attempt adds at most one, so beyond
     * {@value #REMEMBERED} there are about as many unused locks as used ones.
     */
    private void forgetUnused() {
        for (int looks = 0; looks < 2 && locks.size() > REMEMBERED; looks++) {
            Iterator<LocalLock> oldest = locks.values().iterator();
            LocalLock lock = oldest.next();
            lock.passTo(monotonicNanos.getAsLong());
            oldest.remove();
            if (lock.isUsed()) {
                locks.put(lock.place, lock);
            }
        }
    }

    /** At least the time in microseconds, so that it grows across restarts of the JVM. */
    private long next() {
        return nextAbove(0, 1);
    }

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

    private record Place(String key, int slot) {}

    /** A waiting instance, until its deadline. */
    private record WaitingInstance(String instanceId, long position, long deadline) {

        boolean isOf(String instance) {
            return instanceId.equals(instance);
        }
    }

    /**
     * State of one slot of a key; slot 0 has the queue. Times are monotonic nanoseconds, which may overflow, so they
     * are only subtracted.
     */
    private final class LocalLock {

        private final Place place;

        /** Slot 0, as of the latest command. */
        private LocalLock line = this;

        private long now;

        /** Held, or kept for a minimum hold, until the deadline. */
        private boolean taken;

        /** Null while the lock is free or kept. */
        private @Nullable LockToken owner;

        /** Of slot 0: perhaps there are readers. */
        private boolean read;

        private long grantedAt;
        private long deadline;

        /** The last granted one; 0 if there was none. */
        private long fencingToken;

        /** Longest-waiting first. */
        private List<WaitingInstance> waiters = List.of();

        LocalLock(Place place) {
            this.place = place;
        }

        void passTo(long present) {
            now = present;
            if (taken && deadline - now <= 0) {
                free();
            }
            if (!waiters.isEmpty()) {
                waiters = waiters.stream()
                        .filter(waiter -> waiter.deadline() - now > 0)
                        .toList();
            }
        }

        boolean isUsed() {
            return taken || !readers().isEmpty() || !waiters.isEmpty();
        }

        boolean isOf(AcquireCommand command) {
            return command.token().equals(owner);
        }

        boolean isOf(String token) {
            return owner != null && owner.value().equals(token);
        }

        /** Takes the owner of slot 0 over, with its lease and fencing tokens. */
        void takeFromWriter() {
            owner = line.owner;
            taken = true;
            grantedAt = line.grantedAt;
            deadline = line.deadline;
            fencingToken = line.fencingToken;
            line.free();
        }

        boolean isOfReader() {
            return place.slot >= Slots.OF_READERS.from();
        }

        /** Of slot 0: the slots that readers have. */
        List<LocalLock> readers() {
            List<LocalLock> readers = !read
                    ? List.of()
                    : locks(place.key, Slots.OF_READERS).stream()
                            .filter(slot -> slot.taken)
                            .toList();
            read = !readers.isEmpty();
            return readers;
        }

        boolean isWaitedForBefore(AcquireCommand command) {
            String own = command.token().instanceId();
            long position = command.waiting().map(Waiting::position).orElse(Waiting.NEW);
            return waiters.stream()
                    .anyMatch(waiter -> command.waiting().isEmpty()
                            || (!waiter.isOf(own) && (position == Waiting.NEW || waiter.position() < position)));
        }

        AcquireResult grant(AcquireCommand command) {
            boolean again = isOf(command);
            int many = command.fencingTokens();
            long first = again ? raised(command) : nextAbove(command.fencingFloor(), many);
            List<WaitingInstance> others = waitersBut(command.token().instanceId());
            if (!again) {
                grantedAt = now;
                deadline = now + command.lease().toNanos();
                owner = command.token();
                taken = true;
            }
            fencingToken = first + many - 1;
            if (command.waiting().isPresent()) {
                line.waiters = others; // an attempt that does not wait leaves its instance's place to other callers
            }
            if (isOfReader()) {
                line.read = true;
                signalFirst();
            }
            return new AcquireResult.Granted(first, others.size(), Optional.empty(), "", place.slot);
        }

        /** The first of the owner's fencing tokens. */
        private long raised(AcquireCommand command) {
            long first = fencingToken - command.fencingTokens() + 1;
            if (first > command.fencingFloor()) {
                return first;
            }
            latest = Math.max(latest, command.fencingFloor() + command.fencingTokens());
            return command.fencingFloor() + 1;
        }

        private AcquireResult contend(AcquireCommand command, List<LocalLock> busy) {
            long position = command.waiting().isPresent()
                    ? queue(command.token().instanceId(), command.waiting().get(), busy)
                    : Waiting.NEW;
            LocalLock next = Collections.min(busy, Comparator.comparing(LocalLock::remaining));
            Optional<LockHolder> holder = Optional.ofNullable(next.owner)
                    .filter(LockToken::tellsOwner)
                    .map(LockToken::holder);
            Duration left = next.taken ? next.remaining() : Duration.ZERO;
            boolean kept = next.taken && next.owner == null;
            return new AcquireResult.Contended(Optional.of(left), position, holder, kept);
        }

        private long queue(String instanceId, Waiting waiting, List<LocalLock> busy) {
            Set<String> owners = new HashSet<>();
            for (LocalLock each : busy) {
                owners.add(each.owner == null ? instanceId : each.owner.instanceId());
            }
            boolean firstInLine = line.waiters.stream().allMatch(waiter -> owners.contains(waiter.instanceId()));
            long named = waiting.position();
            long position = line.waiters.stream()
                    .filter(waiter -> waiter.isOf(instanceId))
                    .mapToLong(WaitingInstance::position)
                    .map(registered -> named == Waiting.NEW ? registered : Math.min(registered, named))
                    .findAny()
                    .orElseGet(() -> named == Waiting.NEW ? next() : named);
            register(instanceId, position, waiting.patience());
            if (firstInLine) {
                owners.remove(instanceId);
                owners.forEach(each -> tell(each, listener -> listener.onWanted(place.key)));
            }
            return position;
        }

        private void register(String instanceId, long position, Duration patience) {
            List<WaitingInstance> queue = new ArrayList<>(waitersBut(instanceId));
            queue.add(new WaitingInstance(instanceId, position, now + patience.toNanos()));
            queue.sort(Comparator.comparingLong(WaitingInstance::position).thenComparing(WaitingInstance::instanceId));
            line.waiters = queue;
        }

        RenewResult renewLease(RenewCommand command) {
            if (!command.token().equals(owner)) {
                return new RenewResult.NotHeld();
            }
            deadline = now + Math.max(command.lease().toNanos(), deadline - now);
            return new RenewResult.Renewed();
        }

        ReleaseResult releaseHold(ReleaseCommand command) {
            if (command.ownWait() instanceof Wait.Ends ends) {
                return endWait(command.token(), ends.position());
            }
            if (command.token().equals(owner)) {
                leave(command.minHold());
                if (isOfReader() && !line.readers().isEmpty()) {
                    return new ReleaseResult.Released(0);
                }
                int signalled = command.requeue().isEmpty()
                        ? wake()
                        : wakeAndQueue(
                                command.token().instanceId(), command.requeue().get());
                return taken ? new ReleaseResult.Kept(remaining(), signalled) : new ReleaseResult.Released(signalled);
            }
            boolean nobodySince = fencingToken != 0 && fencingToken == command.fencingToken();
            if (!nobodySince || owner != null) {
                return new ReleaseResult.NotHeld();
            }
            return taken ? new ReleaseResult.Kept(remaining(), 0) : new ReleaseResult.Released(0);
        }

        private void leave(Duration minHold) {
            owner = null;
            deadline = grantedAt + minHold.toNanos();
            taken = deadline - now > 0;
        }

        private ReleaseResult endWait(LockToken token, long position) {
            line.waiters = waitersBut(token.instanceId());
            if (token.equals(owner)) {
                free();
            }
            // Free or kept: the instance that leaves may have received the signal of the last release.
            return new ReleaseResult.Released(owner == null ? wake(position) : 0);
        }

        Revocation revoke(long seen) {
            if (!taken || fencingToken != seen) {
                return new Revocation.Stale(seen());
            }
            LockToken revoked = owner;
            free();
            if (!isOfReader() || line.readers().isEmpty()) {
                wake();
            }
            if (revoked != null) {
                tell(revoked.instanceId(), listener -> listener.onRevoked(place.key, revoked.fingerprint()));
            }
            return new Revocation.Revoked();
        }

        StoredLock seen() {
            SortedMap<Integer, StoredLock.Held> readers = new TreeMap<>();
            readers().forEach(reader -> readers.put(reader.place.slot, (StoredLock.Held) reader.seen()));
            if (!readers.isEmpty()) {
                return new StoredLock.Read(readers, waiters.size());
            }
            if (!taken) {
                return new StoredLock.Free(fencingToken, line.waiters.size());
            }
            return owner == null
                    ? new StoredLock.Kept(remaining(), fencingToken, line.waiters.size())
                    : new StoredLock.Held(
                            Optional.of(owner.holder()), Optional.of(remaining()), fencingToken, line.waiters.size());
        }

        private int wake() {
            return wake(Waiting.NEW);
        }

        /**
         * Removes waiters without a listener; signals and removes the first one behind the position. Returns the number
         * of signals.
         */
        private int wake(long position) {
            if (line.waiters.isEmpty()) {
                return 0;
            }
            line.waiters = line.waiters.stream()
                    .filter(waiter -> !closed && listeners.containsKey(waiter.instanceId()))
                    .toList();
            Optional<WaitingInstance> first = line.waiters.stream()
                    .filter(waiter -> waiter.position() > position)
                    .findFirst();
            first.ifPresent(waiter -> {
                line.waiters = waitersBut(waiter.instanceId());
                int slot = isOfReader() ? line.place.slot : place.slot;
                tell(waiter.instanceId(), listener -> listener.onSignal(place.key, slot));
            });
            return first.isPresent() ? 1 : 0;
        }

        /** The first one may read as well; it keeps its place, since it may write. */
        private void signalFirst() {
            line.waiters.stream()
                    .filter(waiter -> listeners.containsKey(waiter.instanceId()))
                    .findFirst()
                    .ifPresent(waiter ->
                            tell(waiter.instanceId(), listener -> listener.onSignal(place.key, line.place.slot)));
        }

        /** Drops the instance's former place, since it had the lock. */
        private int wakeAndQueue(String instanceId, Duration patience) {
            line.waiters = waitersBut(instanceId);
            int signalled = wake();
            if (signalled > 0 || taken) {
                register(instanceId, next(), patience);
            }
            return signalled;
        }

        private void free() {
            taken = false;
            owner = null;
        }

        private Duration remaining() {
            return Duration.ofNanos(deadline - now);
        }

        private List<WaitingInstance> waitersBut(String instanceId) {
            return line.waiters.isEmpty()
                    ? line.waiters
                    : line.waiters.stream()
                            .filter(waiter -> !waiter.isOf(instanceId))
                            .toList();
        }
    }
}
