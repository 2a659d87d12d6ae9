package io.github.lockstarter.local;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Locks inside this JVM, so that an application's tests need no store. Excludes no thread of another JVM: never for
 * production. Lock clients that share one instance exclude each other as if they were applications of their own.
 *
 * <p>Kept per key: the current hold, the last fencing token, and the waiting instances, first come first. A lease ends
 * by the monotonic clock; nothing runs when it does, the next command finds the lock free. Fencing tokens grow over all
 * keys together. Every command is answered before it returns, by the caller's thread; signals come on a daemon thread
 * that ends when idle.
 *
 * <p>Known hole: the state lives and dies with this object.
 */
public final class LocalLockBackend implements LockBackend {

    // Called by any thread. The state of a key is one immutable LocalLock, replaced inside ConcurrentHashMap.compute,
    // so commands of one key happen one after the other. No signal is sent and no stage completed inside compute: a
    // listener may call back. Invariant: every entry of `locks` has its last grant in `recent`, and only that grant
    // removes it; hence idle entries are bounded (see RecentGrants). Accepted: a signal may arrive after another
    // command has taken the lock, since it is a hint.
    private final ConcurrentMap<String, LocalLock> locks = new ConcurrentHashMap<>();
    private final RecentGrants recent = new RecentGrants(this::isStillUsed);
    private final LocalMailboxes mailboxes = new LocalMailboxes();
    private final Sequence sequence;
    private final LongSupplier monotonicNanos;
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
        this.sequence = new Sequence(wall);
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        if (closed) {
            IllegalStateException cause = new IllegalStateException("closed");
            return done(new AcquireResult.Rejected("The in-JVM lock backend is closed", cause));
        }
        AcquireResult result = change(command.key(), lock -> lock.acquire(command, now(), sequence));
        if (result instanceof AcquireResult.Granted granted) {
            recent.add(new RecentGrants.Grant(command.key(), granted.fencingToken() + command.fencingTokens() - 1));
        }
        return done(result);
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return commands.stream()
                .map(command -> done(change(command.key(), lock -> lock.renew(command, now()))))
                .toList();
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        return done(change(command.key(), lock -> lock.release(command, now(), sequence, mailboxes)));
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key) {
        return done(seen(key));
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, long fencingToken) {
        StoredLock seen = seen(key);
        boolean isOfAnotherGrant = locks.getOrDefault(key, LocalLock.UNKNOWN).fencingToken() != fencingToken;
        if (isOfAnotherGrant || seen instanceof StoredLock.Free) {
            return done(new Revocation.Stale(seen));
        }
        // Nothing is changed if another token was granted it since.
        change(key, lock -> lock.revoke(fencingToken, now(), mailboxes))
                .ifPresent(owner -> mailboxes.sendRevoked(owner, key));
        return done(new Revocation.Revoked());
    }

    @Override
    public CompletionStage<StoreState> state() {
        return done(new StoreState(
                "this JVM", closed ? Optional.of("The in-JVM lock backend is closed") : Optional.empty()));
    }

    @Override
    public CrashTakeOver crashTakeOver() {
        return CrashTakeOver.UNNEEDED;
    }

    private StoredLock seen(String key) {
        return locks.getOrDefault(key, LocalLock.UNKNOWN).seenAt(now());
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        mailboxes.open(instanceId, listener);
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
        mailboxes.close();
    }

    /** How many keys are kept in memory. */
    int size() {
        return locks.size();
    }

    private <R> R change(String key, Function<LocalLock, LockTransition<R>> verb) {
        Change<R> change = new Change<>(verb);
        locks.compute(key, change);
        LockTransition<R> step = Objects.requireNonNull(change.step, "compute has taken a step");
        if (step.mail().isPresent()) {
            mailboxes.send(step.mail().get(), key);
        }
        return step.result();
    }

    /** One verb on one lock, and what it led to. Belongs to the calling thread. */
    private static final class Change<R> implements BiFunction<String, @Nullable LocalLock, @Nullable LocalLock> {

        private final Function<LocalLock, LockTransition<R>> verb;
        private @Nullable LockTransition<R> step;

        Change(Function<LocalLock, LockTransition<R>> verb) {
            this.verb = verb;
        }

        @Override
        public @Nullable LocalLock apply(String key, @Nullable LocalLock lock) {
            LockTransition<R> taken = verb.apply(lock == null ? LocalLock.UNKNOWN : lock);
            step = taken;
            return taken.lock().equals(LocalLock.UNKNOWN) ? null : taken.lock();
        }
    }

    /** A later grant answers for the key itself. */
    private boolean isStillUsed(RecentGrants.Grant grant) {
        LocalLock left = locks.computeIfPresent(
                grant.key(),
                (key, lock) -> lock.fencingToken() == grant.fencingToken() && lock.isIdle(now()) ? null : lock);
        return left != null && left.fencingToken() == grant.fencingToken();
    }

    private long now() {
        return monotonicNanos.getAsLong();
    }

    private static <R> CompletionStage<R> done(R result) {
        return CompletableFuture.completedFuture(result);
    }
}
