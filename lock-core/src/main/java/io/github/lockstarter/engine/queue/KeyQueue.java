package io.github.lockstarter.engine.queue;

import io.github.lockstarter.LockAdmin.Waiter;
import io.github.lockstarter.engine.queue.Obstacle.Kind;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one key in this JVM. Only the first has an attempt at the backend, so that N JVMs mean N contenders
 * however many threads wait; and not even that one while this instance has the lock itself. Decides, and does no I/O:
 * each method returns the {@link QueueActions} step, which the caller carries out without the lock.
 *
 * <p>Invariants: at most one attempt is under way; while there are waiters, one is under way, or the first one's next
 * look is set, or a hold of this instance is in the way whose end calls {@link #freed} or {@link #requeued}; every
 * waiter leaves by exactly one of grant, hand-over, refusal, timeout, failure and {@link #leave}, and then has no
 * alarm; a retired queue stays empty, and has no attempt under way. Nothing is sent for the token of an attempt before
 * its answer is there: a waiter that gives up leaves its attempt to the queue. If that is granted, no waiter takes it:
 * the lock is given back, and the next attempt follows.
 *
 * <p>All fields are guarded by {@link #lock}, which {@link #locked} takes: every other method is called inside of it.
 * Alarms are set and cancelled under it, so that an earlier decision cannot overwrite a later one; the timer's lock
 * comes after it and takes no other. No monitor: a virtual thread that waits for the timer's lock must not keep its
 * carrier, which on JDK 21 to 23 it would inside of one.
 */
public final class KeyQueue {

    /** Bounds what a storm of useless signals can cause: after that many, the first waiter sleeps again. */
    private static final int MOST_REPEATS = 3;

    /**
     * What the queues look at and make use of.
     *
     * @param heldHere finds a hold of this instance that is in the way of its own waiters for a key
     * @param tokens makes the lock token of an attempt
     * @param withdrawals makes a lock token that stands for no attempt
     * @param fencingTokens how many fencing tokens one grant may cover, by key
     * @param backoff how long to sleep
     * @param alarms the timer
     */
    public record Collaborators(
            Function<String, Optional<Obstacle>> heldHere,
            Function<Acquisition, LockToken> tokens,
            Supplier<LockToken> withdrawals,
            ToIntFunction<String> fencingTokens,
            Backoff backoff,
            EngineTimer alarms) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final String key;
    private final Collaborators collaborators;
    private final WaiterList line;

    /**
     * How many fencing tokens to ask for where several waiters can use them: the fewest, and twice as many after a
     * grant whose tokens ran out early, since to ask again costs as much as dozens of hand-overs. Not always the most:
     * unused tokens run ahead of the server's clock.
     */
    private int block = EngineSettings.HandOver.FENCING_TOKENS;

    private @Nullable AcquireAttempt underWay;
    private @Nullable Obstacle obstacle;

    /** When the store last answered with an obstacle. */
    private long obstacleSeenAt;

    private boolean signalled;

    /** Turns true once; read by any thread. */
    private volatile boolean retired;

    /** Whether the backend may count this instance among those that wait for the key. */
    private boolean registered;

    private long position = Waiting.NEW;
    private long answers;
    private int round;

    /** Whether another instance is known to wait, although this one may be granted the lock before it. */
    private boolean wanted;

    /** Attempts in a row that were repeated at once, for a signal that came while the one before was under way. */
    private int repeats;

    KeyQueue(String key, Collaborators collaborators) {
        this.key = key;
        this.collaborators = collaborators;
        this.line = new WaiterList(collaborators.alarms());
    }

    /** Asks one question, or has one thing done, at a time. */
    <T extends @Nullable Object> T locked(Function<KeyQueue, T> question) {
        lock.lock();
        try {
            return question.apply(this);
        } finally {
            lock.unlock();
        }
    }

    boolean isRetired() {
        return retired;
    }

    /** The instance that had the lock by the last answer, if the heartbeats look whether it is alive. */
    Optional<String> watched() {
        return obstacle == null ? Optional.empty() : obstacle.watched();
    }

    /** The waiters in the order in which they are served. */
    List<Waiter> waiters(long now) {
        List<Waiter> waiters = new ArrayList<>();
        for (Acquisition each : line.inOrder()) {
            waiters.add(each.waiter(now, waiters.size() + 1));
        }
        return waiters;
    }

    /** A new waiter at the end; null if the queue is retired and a new one must be made. */
    @Nullable
    QueueActions join(Acquisition acquisition) {
        if (retired) {
            return null;
        }
        line.add(acquisition);
        acquisition.joinedAt = answers;
        return underWay == null && line.isFirst(acquisition) ? attemptNext() : sleep(acquisition);
    }

    /** Another instance says that the lock may be free, whatever this one believes to hold. */
    public QueueActions signal() {
        if (underWay != null) {
            signalled = true;
            return QueueActions.NOTHING;
        }
        return line.isEmpty() ? QueueActions.NOTHING : attemptByFirst();
    }

    /** A hold of this instance is over, and its release is sent: the first waiter looks now. */
    QueueActions freed() {
        if (underWay != null) {
            signalled = true;
            return QueueActions.NOTHING;
        }
        return attemptNext();
    }

    /**
     * A hold of this instance was released to another instance, or is kept, and this one was registered behind the
     * others.
     *
     * @param next the other owner, with what it is assumed to have, or for how long the lock is kept
     * @param now monotonic time
     * @return null if the queue is retired and a new one must be made
     */
    @Nullable
    QueueActions requeued(Obstacle next, long now) {
        if (retired) {
            return null;
        }
        registered = true;
        position = Waiting.NEW; // this instance had the lock: an older place is spent
        if (line.isEmpty()) {
            return underWay == null ? retire() : QueueActions.NOTHING;
        }
        obstacle = next;
        obstacleSeenAt = now;
        return underWay == null ? sleepUntilNextLook(now, next) : QueueActions.NOTHING;
    }

    /** The same, but no answer came: it is not known whether another instance was signalled. Null as there. */
    @Nullable
    QueueActions requeuedUnknown() {
        if (retired) {
            return null;
        }
        registered = true;
        position = Waiting.NEW;
        return freed();
    }

    /** Another instance waits for the lock, which the attempt under way may be granted before it. */
    QueueActions wanted() {
        wanted = underWay != null;
        return QueueActions.NOTHING;
    }

    /** A hold of this instance ends: the lock goes to the first waiter that still wants it. */
    public QueueActions handOver(HandOverOffer offer) {
        List<Acquisition> successor = List.of();
        while (successor.isEmpty() && !line.isEmpty()) {
            Acquisition first = line.first();
            Optional<AcquireOutcome.Got> got = offer.to(first);
            if (got.isEmpty()) {
                block = offer.ranOutEarly()
                        ? Math.min(2 * block, AcquireCommand.MOST_FENCING_TOKENS)
                        : EngineSettings.HandOver.FENCING_TOKENS;
                break;
            }
            if (first.decide(got.get())) {
                successor = List.of(first);
            } else {
                offer.refused(got.get());
            }
            line.drop(first); // one that gave up will find itself gone
        }
        position = Waiting.NEW;
        List<Acquisition> decided = successor.isEmpty() ? successor : withOverdue(successor.get(0));
        QueueActions next = line.isEmpty() && underWay == null ? retire() : QueueActions.NOTHING;
        return next.publishing(decided);
    }

    /** The waiter's alarm went off: its wait is over, or it looks again. */
    public QueueActions alarm(Acquisition acquisition, long now) {
        if (!line.has(acquisition)) {
            return QueueActions.NOTHING;
        }
        if (acquisition.isPast(now)) {
            return timeOut(acquisition, now);
        }
        line.sleep(acquisition);
        return underWay == null && line.isFirst(acquisition) ? attemptNext() : QueueActions.NOTHING;
    }

    private QueueActions timeOut(Acquisition acquisition, long now) {
        Obstacle ours = collaborators.heldHere().apply(key).orElse(null);
        Obstacle known = ours == null ? obstacle : ours;
        if (known != null && known.isKept()) {
            known = known.after(now - obstacleSeenAt); // the store was not asked since
        }
        boolean unanswered = ours == null && underWay != null && answers == acquisition.joinedAt;
        if (known == null || unanswered) {
            line.markOverdue(acquisition);
            return underWay == null ? attemptNext() : QueueActions.NOTHING;
        }
        return acquisition.decide(known.outcome())
                ? remove(acquisition).publishing(List.of(acquisition))
                : QueueActions.NOTHING; // granted or given up in this moment: the thread that decided that takes it out
    }

    /** The waiter does not want the lock any more. */
    public QueueActions leave(Acquisition acquisition) {
        return line.has(acquisition) ? remove(acquisition) : QueueActions.NOTHING;
    }

    private QueueActions remove(Acquisition acquisition) {
        boolean wasFirst = line.isFirst(acquisition);
        line.drop(acquisition);
        // The next one looks at once: a signal may have been spent on the one that left.
        return wasFirst && underWay == null ? attemptNext() : QueueActions.NOTHING;
    }

    /** The attempt was granted; its acquisition has the outcome, unless it gave up in this moment. */
    public QueueActions granted(AcquireAttempt attempt, AcquireOutcome outcome, long now) {
        if (!attempt.equals(underWay)) {
            return QueueActions.NOTHING;
        }
        Acquisition acquisition = attempt.acquisition();
        answered();
        left(acquisition);
        round = 0;
        if (wanted && outcome instanceof AcquireOutcome.Got got) {
            got.hold().grant.wanted(now);
        }
        wanted = false;
        boolean taken = acquisition.decide(outcome);
        List<Acquisition> decided = withOverdue(acquisition);
        return attemptNext().publishing(taken ? decided : decided.subList(1, decided.size()));
    }

    /** The new owner, and with it the waiters whose wait is over: the lock has an owner now. */
    private List<Acquisition> withOverdue(Acquisition owner) {
        if (line.isEmpty() && underWay == null) {
            return List.of(owner); // the queue ends here
        }
        Obstacle ours = new Obstacle(Kind.OWNER, Optional.of(owner.terms.lease()));
        obstacle = ours;
        List<Acquisition> late = line.dismissOverdue(new AcquireOutcome.Busy(ours));
        List<Acquisition> decided = new ArrayList<>(1 + late.size());
        decided.add(owner);
        decided.addAll(late);
        return decided;
    }

    /** The attempt was granted, but not in time for its acquisition, which fails unless it has an outcome already. */
    public QueueActions grantedTooLate(AcquireAttempt attempt, AcquireOutcome.Failed failure) {
        if (!attempt.equals(underWay)) {
            return QueueActions.NOTHING;
        }
        Acquisition acquisition = attempt.acquisition();
        answered();
        left(acquisition);
        return attemptNext().publishing(acquisition.decide(failure) ? List.of(acquisition) : List.of());
    }

    /** A grant takes the instance out of the backend's queue. */
    private void left(Acquisition granted) {
        line.drop(granted);
        position = Waiting.NEW;
        registered = false;
    }

    /** The attempt was not granted. */
    public QueueActions contended(AcquireAttempt attempt, Obstacle answer, long newPosition, long now) {
        if (!attempt.equals(underWay)) {
            return QueueActions.NOTHING;
        }
        answered();
        wanted = false;
        obstacle = answer;
        obstacleSeenAt = now;
        if (newPosition != Waiting.NEW) {
            position = newPosition;
            registered = true;
        }
        if (attempt.acquisition().isPast(now)) {
            line.markOverdue(attempt.acquisition());
        }
        List<Acquisition> late = line.dismissOverdue(answer.outcome());
        if (line.isEmpty()) {
            registered = false;
            return retire().withdrawing(attempt.token()).publishing(late);
        }
        if (signalled && repeats < MOST_REPEATS) {
            repeats++;
            return attemptByFirst().publishing(late);
        }
        repeats = 0;
        return sleepUntilNextLook(now, answer).publishing(late);
    }

    /** The attempt failed: no waiter of this JVM can get the lock now. */
    public QueueActions failed(AcquireAttempt attempt, AcquireOutcome.Failed failure) {
        if (!attempt.equals(underWay)) {
            return QueueActions.NOTHING;
        }
        underWay = null;
        return retire().publishing(line.dismissAll(failure));
    }

    /** Ends every wait of this JVM. */
    public QueueActions failAll(AcquireOutcome.Failed failure) {
        List<Acquisition> dismissed = line.dismissAll(failure);
        return (underWay == null ? retire() : QueueActions.NOTHING).publishing(dismissed);
    }

    /** Decides what follows for the first waiter. */
    private QueueActions attemptNext() {
        if (line.isEmpty()) {
            return retire();
        }
        Obstacle ours = collaborators.heldHere().apply(key).orElse(null);
        if (ours == null) {
            return attemptByFirst();
        }
        obstacle = ours;
        return sleep(line.first());
    }

    /** Without waiters, the end of this queue, and of the instance's place in the backend's. */
    private QueueActions retire() {
        retired = true;
        boolean leaves = registered;
        registered = false;
        return leaves
                ? QueueActions.NOTHING.withdrawing(collaborators.withdrawals().get())
                : QueueActions.NOTHING;
    }

    private QueueActions attemptByFirst() {
        Acquisition first = line.first();
        first.attempts++;
        signalled = false;
        // A single caller needs one fencing token only.
        boolean areOthersWaiting = first.queued || line.size() > 1;
        int fencingTokens =
                areOthersWaiting ? Math.min(block, collaborators.fencingTokens().applyAsInt(key)) : 1;
        LockToken token = collaborators.tokens().apply(first);
        AcquireAttempt attempt = new AcquireAttempt(first, token, position, fencingTokens);
        underWay = attempt;
        return QueueActions.attempt(attempt);
    }

    private QueueActions sleep(Acquisition acquisition) {
        line.sleep(acquisition);
        return queued(acquisition);
    }

    private QueueActions sleepUntilNextLook(long now, Obstacle answer) {
        Acquisition first = line.first();
        line.sleepUntil(first, now + collaborators.backoff().nanos(round++, answer));
        return queued(first);
    }

    private static QueueActions queued(Acquisition acquisition) {
        if (acquisition.queued) {
            return QueueActions.NOTHING;
        }
        acquisition.queued = true;
        return QueueActions.queued(acquisition);
    }

    private void answered() {
        underWay = null;
        answers++;
    }
}
