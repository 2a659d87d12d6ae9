package io.github.lockstarter.local;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The state of one key, and its transitions by each command. Immutable. Times are monotonic nanoseconds, which may
 * overflow: they are only ever subtracted.
 *
 * @param hold the hold, whose lease may be over
 * @param fencingToken the last that was granted; 0 if there was none
 * @param waiters instances to signal, longest-waiting first
 */
record LocalLock(Optional<Hold> hold, long fencingToken, List<Waiter> waiters) {

    /** A key that no command has named yet. */
    static final LocalLock UNKNOWN = new LocalLock(Optional.empty(), 0, List.of());

    /** The token that was granted the lock until the deadline; none if the lock is kept until then. */
    record Hold(Optional<LockToken> token, long grantedAt, long deadline) {

        boolean isKept() {
            return token.isEmpty();
        }

        Duration remaining(long now) {
            return Duration.ofNanos(deadline - now);
        }
    }

    /** An instance that waits, and until when it is believed to. */
    record Waiter(String instanceId, long position, long deadline) {}

    LockTransition<AcquireResult> acquire(AcquireCommand command, long now, Sequence sequence) {
        Optional<Hold> live = liveHold(now);
        boolean again = isHeldBy(command.token(), now);
        if (live.isPresent() && !again) {
            return contend(command, now, live.get(), sequence);
        }
        int many = command.fencingTokens();
        long first = again ? raised(command, sequence) : sequence.nextAbove(command.fencingFloor(), many);
        Hold granted = again
                ? live.get()
                : new Hold(
                        Optional.of(command.token()), now, now + command.lease().toNanos());
        // A waiting caller has what its instance waited for; one that only tried leaves the queue to the waiters.
        List<Waiter> others = waitersBut(command.token().instanceId(), now);
        List<Waiter> left = command.waiting().isPresent() ? others : waiters;
        return LockTransition.quiet(
                new LocalLock(Optional.of(granted), first + many - 1, left),
                new AcquireResult.Granted(first, others.size()));
    }

    /** The first of the owner's fencing tokens, which it may ask to be greater. */
    private long raised(AcquireCommand command, Sequence sequence) {
        long first = fencingToken - command.fencingTokens() + 1;
        if (first > command.fencingFloor()) {
            return first;
        }
        sequence.pass(command.fencingFloor() + command.fencingTokens());
        return command.fencingFloor() + 1;
    }

    private LockTransition<AcquireResult> contend(AcquireCommand command, long now, Hold owner, Sequence sequence) {
        Optional<Duration> remaining = Optional.of(owner.remaining(now));
        Optional<LockHolder> holder =
                owner.token().filter(LockToken::tellsOwner).map(LockToken::holder);
        if (command.waiting().isEmpty()) {
            return LockTransition.quiet(
                    this, new AcquireResult.Contended(remaining, AcquireCommand.Waiting.NEW, holder, owner.isKept()));
        }
        AcquireCommand.Waiting waiting = command.waiting().get();
        String instanceId = command.token().instanceId();
        long position = positionOf(instanceId, waiting, now, sequence);
        LocalLock queued = but(instanceId, now)
                .and(new Waiter(instanceId, position, now + waiting.patience().toNanos()));
        return new LockTransition<>(
                queued,
                new AcquireResult.Contended(remaining, position, holder, owner.isKept()),
                owner.token().flatMap(token -> wanted(instanceId, token, now)));
    }

    /** Notifies the owner of an instance that begins to wait, unless one that is not the owner's own waited already. */
    private Optional<MailboxMessage> wanted(String instanceId, LockToken owner, long now) {
        boolean known = waiters.stream()
                .anyMatch(waiter ->
                        waiter.deadline() - now > 0 && !waiter.instanceId().equals(owner.instanceId()));
        return known || instanceId.equals(owner.instanceId())
                ? Optional.empty()
                : Optional.of(new MailboxMessage(owner.instanceId(), MailboxMessage.Subject.WANTED));
    }

    /** The earlier of the place that the instance has and the one it names; else the end of the queue. */
    private long positionOf(String instanceId, AcquireCommand.Waiting waiting, long now, Sequence sequence) {
        LongStream registered = waiters.stream()
                .filter(waiter -> waiter.instanceId().equals(instanceId) && waiter.deadline() - now > 0)
                .mapToLong(Waiter::position);
        LongStream named = LongStream.of(waiting.position()).filter(place -> place != AcquireCommand.Waiting.NEW);
        return LongStream.concat(registered, named).min().orElseGet(sequence::next);
    }

    LockTransition<RenewResult> renew(RenewCommand command, long now) {
        if (!isHeldBy(command.token(), now)) {
            return LockTransition.quiet(this, new RenewResult.NotHeld());
        }
        long asked = command.lease().toNanos();
        Optional<Hold> renewed = hold.map(current ->
                new Hold(current.token(), current.grantedAt(), now + Math.max(asked, current.deadline() - now)));
        return LockTransition.quiet(new LocalLock(renewed, fencingToken, waiters), new RenewResult.Renewed());
    }

    LockTransition<ReleaseResult> release(
            ReleaseCommand command, long now, Sequence sequence, LocalMailboxes mailboxes) {
        if (command.endsWait()) {
            return endWait(command.token(), now, mailboxes);
        }
        if (isHeldBy(command.token(), now)) {
            Optional<Hold> kept = kept(command, now);
            LocalLock left = new LocalLock(kept, fencingToken, waiters);
            Woken woken = command.requeue().isEmpty()
                    ? left.wake(now, mailboxes)
                    : left.wakeAndQueue(command, now, sequence, mailboxes);
            return kept.isEmpty()
                    ? woken.answeringReleased()
                    : woken.answering(new ReleaseResult.Kept(kept.get().remaining(now), woken.signalled()));
        }
        boolean nobodySince = fencingToken != 0 && fencingToken == command.fencingToken();
        Optional<Hold> live = liveHold(now);
        if (!nobodySince || live.filter(other -> !other.isKept()).isPresent()) {
            return LockTransition.quiet(this, new ReleaseResult.NotHeld());
        }
        return LockTransition.quiet(
                this,
                live.<ReleaseResult>map(kept -> new ReleaseResult.Kept(kept.remaining(now), 0))
                        .orElseGet(() -> new ReleaseResult.Released(0)));
    }

    /** What is left of the minimum time. */
    private Optional<Hold> kept(ReleaseCommand command, long now) {
        return hold.map(released -> new Hold(
                        Optional.empty(),
                        released.grantedAt(),
                        released.grantedAt() + command.atLeast().toNanos()))
                .filter(kept -> kept.deadline() - now > 0);
    }

    /** For an operator: without its owner, or the rest of its minimum time. */
    LockTransition<Optional<LockToken>> revoke(long seen, long now, LocalMailboxes mailboxes) {
        Optional<Hold> live = liveHold(now).filter(taken -> fencingToken == seen);
        return live.isEmpty()
                ? LockTransition.quiet(this, Optional.empty())
                : freed().wake(now, mailboxes).answering(live.get().token());
    }

    /**
     * A place that the instance had before is spent, since it had the lock; it gets one behind the instance that is
     * signalled, or if the lock is kept.
     */
    private Woken wakeAndQueue(ReleaseCommand command, long now, Sequence sequence, LocalMailboxes mailboxes) {
        String instanceId = command.token().instanceId();
        Woken woken = but(instanceId, now).wake(now, mailboxes);
        if (woken.instanceId().isEmpty() && hold.isEmpty()) {
            return woken;
        }
        long patience = command.requeue().orElse(Duration.ZERO).toNanos();
        LocalLock queued = woken.lock().and(new Waiter(instanceId, sequence.next(), now + patience));
        return new Woken(queued, woken.instanceId());
    }

    private LockTransition<ReleaseResult> endWait(LockToken token, long now, LocalMailboxes mailboxes) {
        LocalLock left = but(token.instanceId(), now);
        if (isHeldBy(token, now)) {
            return left.freed().wake(now, mailboxes).answeringReleased();
        }
        // Free or kept: the signal of the last release may have gone to the instance that now leaves.
        return liveHold(now).filter(live -> !live.isKept()).isEmpty()
                ? left.wake(now, mailboxes).answeringReleased()
                : LockTransition.quiet(left, new ReleaseResult.Released(0));
    }

    /** As an operator sees it. */
    StoredLock seenAt(long now) {
        long waiting =
                waiters.stream().filter(waiter -> waiter.deadline() - now > 0).count();
        return liveHold(now)
                .<StoredLock>map(live -> live.isKept()
                        ? new StoredLock.Kept(live.remaining(now), fencingToken, waiting)
                        : new StoredLock.Held(
                                live.token().map(LockToken::holder),
                                Optional.of(live.remaining(now)),
                                fencingToken,
                                waiting))
                .orElseGet(() -> new StoredLock.Free(fencingToken, waiting));
    }

    /** Nothing is left to remember but the last fencing token. */
    boolean isIdle(long now) {
        return liveHold(now).isEmpty()
                && (waiters.isEmpty() || waiters.stream().allMatch(waiter -> waiter.deadline() - now <= 0));
    }

    private Woken wake(long now, LocalMailboxes mailboxes) {
        if (waiters.isEmpty()) {
            return new Woken(this, Optional.empty());
        }
        List<Waiter> reachable = waiters.stream()
                .filter(waiter -> waiter.deadline() - now > 0 && mailboxes.isOpen(waiter.instanceId()))
                .toList();
        List<Waiter> left = reachable.stream().skip(1).toList();
        return new Woken(
                new LocalLock(hold, fencingToken, left),
                reachable.stream().findFirst().map(Waiter::instanceId));
    }

    /** The state without the waiter that is signalled, if there is one. */
    private record Woken(LocalLock lock, Optional<String> instanceId) {

        int signalled() {
            return instanceId.isPresent() ? 1 : 0;
        }

        LockTransition<ReleaseResult> answeringReleased() {
            return answering(new ReleaseResult.Released(signalled()));
        }

        <R> LockTransition<R> answering(R result) {
            return new LockTransition<>(
                    lock, result, instanceId.map(woken -> new MailboxMessage(woken, MailboxMessage.Subject.SIGNAL)));
        }
    }

    private LocalLock freed() {
        return new LocalLock(Optional.empty(), fencingToken, waiters);
    }

    private LocalLock but(String instanceId, long now) {
        return new LocalLock(hold, fencingToken, waitersBut(instanceId, now));
    }

    private LocalLock and(Waiter waiter) {
        Stream<Waiter> queue = Stream.concat(waiters.stream(), Stream.of(waiter));
        return new LocalLock(
                hold,
                fencingToken,
                queue.sorted(Comparator.comparingLong(Waiter::position).thenComparing(Waiter::instanceId))
                        .toList());
    }

    private boolean isHeldBy(LockToken token, long now) {
        Optional<Hold> live = liveHold(now);
        return live.isPresent() && live.get().token().equals(Optional.of(token));
    }

    private Optional<Hold> liveHold(long now) {
        return hold.isPresent() && hold.get().deadline() - now > 0 ? hold : Optional.empty();
    }

    private List<Waiter> waitersBut(String instanceId, long now) {
        return waiters.isEmpty()
                ? waiters
                : waiters.stream()
                        .filter(waiter -> !waiter.instanceId().equals(instanceId) && waiter.deadline() - now > 0)
                        .toList();
    }
}
