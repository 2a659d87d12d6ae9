package io.github.lockstarter.engine.queue;

import io.github.lockstarter.LockAdmin.Waiter;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.HoldHandle;
import io.github.lockstarter.engine.hold.HoldOwner;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.timer.TimerEntry;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One caller that wants one key. The outcome is {@link #decide decided} exactly once, and a grant that comes second is
 * given back. It is published after that: at once, or, by a caller that gives up, after it has left the queue.
 *
 * <p>Mutable: {@link #decided} and {@link #outcome} (atomic); {@link #attempts}, {@link #joinedAt}, and the place in
 * the {@link WaiterList} are guarded by the {@link KeyQueue} it stands in.
 */
public final class Acquisition extends TimerEntry implements Hold.Claimant {

    private static final AtomicReferenceFieldUpdater<Acquisition, @Nullable AcquireOutcome> DECIDED =
            AtomicReferenceFieldUpdater.newUpdater(Acquisition.class, AcquireOutcome.class, "decided");

    public final String key;
    public final ResolvedRequest terms;
    final HoldOwner owner;
    final long startedAt;
    final long giveUpAt;
    /** Completed with what was decided, once the acquisition has left its queue or is about to. */
    public final CompletableFuture<AcquireOutcome> outcome = new CompletableFuture<>();

    /** Changed by its updater. */
    private volatile @Nullable AcquireOutcome decided;

    private final Consumer<Acquisition> onTimer;

    /** Attempts at the backend. */
    public int attempts;

    /** Number of answers the queue had had when this one joined. */
    long joinedAt;

    /** Where it waits; null if it does not. */
    @Nullable
    WaiterList line;

    /** Who is served before it. */
    @Nullable
    Acquisition ahead;

    /** Who is served after it. */
    @Nullable
    Acquisition behind;

    /** Made by its caller before it takes the hold, which the caller's thread may enter again from then on. */
    public volatile @Nullable HoldHandle handle;

    /** Set without a call by a caller whose stack or memory is at an end: it never takes what it is granted. */
    public volatile boolean forsaken;

    /** Whether it had to wait; written under the queue's lock before the outcome of the wait. */
    public volatile boolean queued;

    public Acquisition(
            String key, ResolvedRequest terms, HoldOwner owner, long startedAt, Consumer<Acquisition> onTimer) {
        this.key = key;
        this.terms = terms;
        this.owner = owner;
        this.startedAt = startedAt;
        this.giveUpAt = startedAt + terms.maxWait().toNanos();
        this.onTimer = onTimer;
    }

    /**
     * Whether this outcome is the one; to be {@link #publish published} by the same caller. A grant is not for one that
     * its caller has forsaken; if the caller does so after this look, the hold is found and released later.
     */
    public boolean decide(AcquireOutcome candidate) {
        if (forsaken && candidate instanceof AcquireOutcome.Got) {
            end(new AcquireOutcome.Abandoned());
            return false;
        }
        return DECIDED.compareAndSet(this, null, candidate);
    }

    /** The hold, if that was decided. */
    public Optional<Hold> hold() {
        return decided instanceof AcquireOutcome.Got got ? Optional.of(got.hold()) : Optional.empty();
    }

    public boolean isDecided() {
        return decided != null;
    }

    /** Whether this outcome was the one. */
    public boolean wasDecided(AcquireOutcome candidate) {
        return decided == candidate;
    }

    /** Whether the lock is, or will be, handed out. */
    public boolean isGot() {
        return decided instanceof AcquireOutcome.Got;
    }

    public void publish() {
        outcome.complete(Objects.requireNonNull(decided, "undecided"));
    }

    /** Decides and publishes. */
    public boolean end(AcquireOutcome candidate) {
        boolean first = decide(candidate);
        if (first) {
            publish();
        }
        return first;
    }

    public boolean waits() {
        return !terms.maxWait().isZero();
    }

    boolean isPast(long now) {
        return now - giveUpAt >= 0;
    }

    public Duration waited(long now) {
        return Duration.ofNanos(now - startedAt);
    }

    /** As an operator sees it; under the queue's lock. */
    Waiter waiter(long now, int position) {
        return new Waiter(terms.name(), key, owner.label(), waited(now), position, attempts);
    }

    @Override
    public ResolvedRequest terms() {
        return terms;
    }

    @Override
    public HoldOwner owner() {
        return owner;
    }

    @Override
    public boolean isForsaken() {
        return forsaken;
    }

    @Override
    public @Nullable HoldHandle first() {
        return handle;
    }

    @Override
    public void fire() {
        onTimer.accept(this);
    }
}
