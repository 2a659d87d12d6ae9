package io.github.lockstarter.local;

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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The state of one key, and what each command makes of it. Immutable. Times are monotonic nanoseconds, which may
 * overflow: they are only ever subtracted.
 *
 * @param hold the hold, whose lease may be over
 * @param fencingToken of the last grant; 0 if there was none
 * @param waiters instances to signal, longest-waiting first
 */
record LocalLock(Optional<Hold> hold, long fencingToken, List<Waiter> waiters) {

    /** A key that nobody has asked for. */
    static final LocalLock UNKNOWN = new LocalLock(Optional.empty(), 0, List.of());

    /** The token that was granted the lock until the deadline. */
    record Hold(LockToken token, long deadline) {}

    /** An instance that waits, and until when it is believed to. */
    record Waiter(String instanceId, long position, long deadline) {}

    Step<AcquireResult> acquire(AcquireCommand command, long now, Sequence sequence) {
        if (isHeldBy(command.token(), now)) {
            return Step.quiet(this, new AcquireResult.Granted(fencingToken));
        }
        Optional<Hold> other = liveHold(now);
        if (other.isPresent()) {
            return contend(command, now, Duration.ofNanos(other.get().deadline() - now), sequence);
        }
        long granted = sequence.nextAbove(command.fencingFloor());
        Hold hold = new Hold(command.token(), now + command.lease().toNanos());
        // A waiting caller has what its instance waited for; one that only tried leaves the queue to those who wait.
        List<Waiter> left =
                command.waiting().isPresent() ? waitersBut(command.token().instanceId(), now) : waiters;
        return Step.quiet(new LocalLock(Optional.of(hold), granted, left), new AcquireResult.Granted(granted));
    }

    private Step<AcquireResult> contend(AcquireCommand command, long now, Duration remaining, Sequence sequence) {
        if (command.waiting().isEmpty()) {
            return Step.quiet(this, new AcquireResult.Contended(Optional.of(remaining), AcquireCommand.Waiting.NEW));
        }
        AcquireCommand.Waiting waiting = command.waiting().get();
        String instanceId = command.token().instanceId();
        long position = positionOf(instanceId, waiting, now, sequence);
        List<Waiter> queue = new ArrayList<>(waitersBut(instanceId, now));
        queue.add(new Waiter(instanceId, position, now + waiting.patience().toNanos()));
        queue.sort(Comparator.comparingLong(Waiter::position).thenComparing(Waiter::instanceId));
        return Step.quiet(
                new LocalLock(hold, fencingToken, List.copyOf(queue)),
                new AcquireResult.Contended(Optional.of(remaining), position));
    }

    /** The earlier of the place that the instance has and the one it was told before; else the end of the queue. */
    private long positionOf(String instanceId, AcquireCommand.Waiting waiting, long now, Sequence sequence) {
        LongStream registered = waiters.stream()
                .filter(waiter -> waiter.instanceId().equals(instanceId) && waiter.deadline() - now > 0)
                .mapToLong(Waiter::position);
        LongStream told = LongStream.of(waiting.position()).filter(place -> place != AcquireCommand.Waiting.NEW);
        return LongStream.concat(registered, told).min().orElseGet(sequence::next);
    }

    Step<RenewResult> renew(RenewCommand command, long now) {
        if (!isHeldBy(command.token(), now)) {
            return Step.quiet(this, new RenewResult.NotHeld());
        }
        long asked = command.lease().toNanos();
        Optional<Hold> renewed =
                hold.map(current -> new Hold(current.token(), now + Math.max(asked, current.deadline() - now)));
        return Step.quiet(new LocalLock(renewed, fencingToken, waiters), new RenewResult.Renewed());
    }

    Step<ReleaseResult> release(ReleaseCommand command, long now, Mailboxes mailboxes) {
        if (isHeldBy(command.token(), now)) {
            return freed().wake(now, mailboxes, new ReleaseResult.Released());
        }
        boolean nobodySince = liveHold(now).isEmpty() && fencingToken != 0 && fencingToken == command.fencingToken();
        return Step.quiet(this, nobodySince ? new ReleaseResult.Released() : new ReleaseResult.NotHeld());
    }

    Step<WithdrawResult> withdraw(WithdrawCommand command, long now, Mailboxes mailboxes) {
        LocalLock left =
                new LocalLock(hold, fencingToken, waitersBut(command.token().instanceId(), now));
        WithdrawResult withdrawn = new WithdrawResult.Withdrawn();
        if (isHeldBy(command.token(), now)) {
            return left.freed().wake(now, mailboxes, withdrawn);
        }
        // Free: the signal of the last release may have gone to the instance that now leaves.
        return liveHold(now).isEmpty() ? left.wake(now, mailboxes, withdrawn) : Step.quiet(left, withdrawn);
    }

    /** Nothing is left to remember but the last fencing token. */
    boolean isIdle(long now) {
        return liveHold(now).isEmpty() && waiters.stream().allMatch(waiter -> waiter.deadline() - now <= 0);
    }

    private <R> Step<R> wake(long now, Mailboxes mailboxes, R result) {
        List<Waiter> reachable = waiters.stream()
                .filter(waiter -> waiter.deadline() - now > 0 && mailboxes.isOpen(waiter.instanceId()))
                .toList();
        if (reachable.isEmpty()) {
            return Step.quiet(new LocalLock(hold, fencingToken, List.of()), result);
        }
        LocalLock next =
                new LocalLock(hold, fencingToken, reachable.stream().skip(1).toList());
        return new Step<>(next, result, Optional.of(reachable.get(0).instanceId()));
    }

    private LocalLock freed() {
        return new LocalLock(Optional.empty(), fencingToken, waiters);
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
