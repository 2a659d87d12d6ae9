package io.github.lockstarter.local;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
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

    /** The token that was granted the lock until the deadline. */
    record Hold(LockToken token, long deadline) {}

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
                : new Hold(command.token(), now + command.lease().toNanos());
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
        Optional<Duration> remaining = Optional.of(Duration.ofNanos(owner.deadline() - now));
        Optional<StoredLock.Holder> holder =
                Optional.of(owner.token()).filter(LockToken::tellsOwner).map(LockToken::holder);
        if (command.waiting().isEmpty()) {
            return LockTransition.quiet(
                    this, new AcquireResult.Contended(remaining, AcquireCommand.Waiting.NEW, holder));
        }
        AcquireCommand.Waiting waiting = command.waiting().get();
        String instanceId = command.token().instanceId();
        long position = positionOf(instanceId, waiting, now, sequence);
        LocalLock queued = but(instanceId, now)
                .and(new Waiter(instanceId, position, now + waiting.patience().toNanos()));
        return new LockTransition<>(
                queued,
                new AcquireResult.Contended(remaining, position, holder),
                wanted(instanceId, owner.token(), now));
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
        Optional<Hold> renewed =
                hold.map(current -> new Hold(current.token(), now + Math.max(asked, current.deadline() - now)));
        return LockTransition.quiet(new LocalLock(renewed, fencingToken, waiters), new RenewResult.Renewed());
    }

    LockTransition<ReleaseResult> release(
            ReleaseCommand command, long now, Sequence sequence, LocalMailboxes mailboxes) {
        if (isHeldBy(command.token(), now)) {
            return command.requeue().isEmpty()
                    ? released(freed().wake(now, mailboxes))
                    : released(wakeAndQueue(command, now, sequence, mailboxes));
        }
        boolean nobodySince = liveHold(now).isEmpty() && fencingToken != 0 && fencingToken == command.fencingToken();
        return LockTransition.quiet(this, nobodySince ? new ReleaseResult.Released(0) : new ReleaseResult.NotHeld());
    }

    /**
     * A place that the instance had before is spent, since it had the lock; it gets one behind the instance that is
     * signalled.
     */
    private Woken wakeAndQueue(ReleaseCommand command, long now, Sequence sequence, LocalMailboxes mailboxes) {
        String instanceId = command.token().instanceId();
        Woken woken = freed().but(instanceId, now).wake(now, mailboxes);
        if (woken.instanceId().isEmpty()) {
            return woken;
        }
        long patience = command.requeue().orElse(Duration.ZERO).toNanos();
        LocalLock queued = woken.lock().and(new Waiter(instanceId, sequence.next(), now + patience));
        return new Woken(queued, woken.instanceId());
    }

    private static LockTransition<ReleaseResult> released(Woken woken) {
        return woken.answering(new ReleaseResult.Released(woken.instanceId().isPresent() ? 1 : 0));
    }

    LockTransition<WithdrawResult> withdraw(WithdrawCommand command, long now, LocalMailboxes mailboxes) {
        LocalLock left = but(command.token().instanceId(), now);
        WithdrawResult withdrawn = new WithdrawResult.Withdrawn();
        if (isHeldBy(command.token(), now)) {
            return left.freed().wake(now, mailboxes).answering(withdrawn);
        }
        // Free: the signal of the last release may have gone to the instance that now leaves.
        return liveHold(now).isEmpty()
                ? left.wake(now, mailboxes).answering(withdrawn)
                : LockTransition.quiet(left, withdrawn);
    }

    /** The token that has the lock. */
    Optional<LockToken> ownerAt(long now) {
        return liveHold(now).map(Hold::token);
    }

    /** As an operator sees it. */
    StoredLock seenAt(long now) {
        long waiting =
                waiters.stream().filter(waiter -> waiter.deadline() - now > 0).count();
        return liveHold(now)
                .<StoredLock>map(live -> new StoredLock.Held(
                        Optional.of(live.token().holder()),
                        Optional.of(Duration.ofNanos(live.deadline() - now)),
                        fencingToken,
                        waiting))
                .orElseGet(() -> new StoredLock.Free(fencingToken, waiting));
    }

    /** Nothing is left to remember but the last fencing token. */
    boolean isIdle(long now) {
        return liveHold(now).isEmpty() && waiters.stream().allMatch(waiter -> waiter.deadline() - now <= 0);
    }

    private Woken wake(long now, LocalMailboxes mailboxes) {
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
        return liveHold(now).filter(live -> live.token().equals(token)).isPresent();
    }

    private Optional<Hold> liveHold(long now) {
        return hold.filter(live -> live.deadline() - now > 0);
    }

    private List<Waiter> waitersBut(String instanceId, long now) {
        return waiters.stream()
                .filter(waiter -> !waiter.instanceId().equals(instanceId) && waiter.deadline() - now > 0)
                .toList();
    }
}
