package io.github.lockstarter.leader;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.leader.LeaderRevoked.Cause;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The campaign of this instance for one role: waits for the lock of the role, leads while it has it, and begins again.
 *
 * <p>{@link #lock} guards the transitions of {@link #state}, the only mutable field, and the content of a {@link
 * Waiting}. A reader takes one look at the state, without the lock:
 *
 * <pre>
 * Stopped --begin--> Waiting --grant--> Leading --loss, yield--> Waiting (a new one)
 *    any state --end--> Stopped
 * </pre>
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Only Leading answers that this instance leads, and only while its handle is held for certain. A doubt is no
 *       transition.
 *   <li>Each transition to Leading queues one {@link LeaderGranted}, each from it one {@link LeaderRevoked}, under the
 *       lock, on the serial executor: events alternate, and arrive in the order of the transitions.
 *   <li>A call enters a body only if it has seen Leading, or comes from a body that runs. The handle is released after
 *       the listeners of the transition from Leading, and the lock itself with the last body. So a call that races with
 *       a transition may run its body during the listeners, under the lock.
 *   <li>There is at most one acquisition. It belongs to the Waiting for which it was made; if that is not the state
 *       when the answer comes, a grant is given back. It begins when the listeners of the last transition have
 *       returned, no body holds the lock, and the pause of a yield is over.
 * </ol>
 *
 * <p>Callers are on any thread; acquisitions begin, and listeners run, on the serial executor; answers and losses come
 * on threads of the lock client. None waits with the lock, and no listener is called with it. The lock client takes its
 * own locks inside of this one, and calls back with none of them.
 */
final class Campaign implements Leadership {

    private static final Logger log = LoggerFactory.getLogger(Campaign.class);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final String role;
    private final LockRequest request;
    private final LockOperations locks;
    private final Executor serial;
    private final Consumer<Object> events;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile State state = new Stopped();

    private sealed interface State {}

    private record Stopped() implements State {}

    /** An acquisition is planned, and then runs. */
    private static final class Waiting implements State {

        private CompletableFuture<LockHandle> acquiring = new CompletableFuture<>();
    }

    private record Leading(LockHandle handle) implements State {}

    /**
     * A campaign that has not begun.
     *
     * @param serial runs one task after the other
     * @param events publishes an event; never throws
     * @throws IllegalArgumentException as {@link Leaders#role}
     */
    Campaign(String role, LockOperations locks, Executor serial, Consumer<Object> events) {
        this.role = role;
        this.request = LeaderLocks.requestFor(role);
        this.locks = locks;
        this.serial = serial;
        this.events = events;
    }

    /** Begins, unless it has. */
    void begin() {
        locked(() -> {
            if (state instanceof Stopped && !isMocked()) {
                compete(Duration.ZERO);
            }
        });
    }

    /**
     * Ends. A leader calls its listeners, and then releases the lock.
     *
     * @return completed when the listeners have returned and this instance does not hold the lock
     */
    CompletableFuture<Void> end() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        locked(() -> {
            State before = state;
            state = new Stopped();
            if (before instanceof Leading leading) {
                leave(leading, Cause.STOPPED);
            } else if (before instanceof Waiting waiting) {
                waiting.acquiring.cancel(false);
            }
            serial.execute(() -> whenReleased(() -> ended.complete(null)));
        });
        return ended;
    }

    private void compete(Duration pause) {
        Waiting next = new Waiting();
        state = next;
        serial.execute(() -> whenReleased(() -> after(pause, () -> acquire(next))));
    }

    /** Polls, since the end of the last body causes no event: each body has an entry of its own in the hold. */
    private void whenReleased(Runnable next) {
        if (isMocked() || locks.heldLocks().find(request.keys().get(0)).isEmpty()) {
            next.run();
        } else {
            after(LOOK, () -> whenReleased(next));
        }
    }

    /** A mock of the locks, in a test of the application, answers null: it grants and holds nothing. */
    private boolean isMocked() {
        return locks.heldLocks() == null;
    }

    private void after(Duration delay, Runnable task) {
        CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, serial)
                .execute(task);
    }

    private void acquire(Waiting waiting) {
        locked(() -> {
            if (state == waiting) {
                try {
                    waiting.acquiring = locks.acquireAsync(request.waitingUpTo(LockRequest.MAX_DURATION));
                } catch (RuntimeException e) {
                    log.warn("Cannot compete for role '{}'; tries again in {} ms", role, RETRY.toMillis(), e);
                    waiting.acquiring = CompletableFuture.failedFuture(e);
                }
                waiting.acquiring.whenComplete((handle, failure) -> answered(waiting, handle));
            }
        });
    }

    /** The lock client logs an outage when it begins and when it ends. */
    private void answered(Waiting waiting, @Nullable LockHandle handle) {
        locked(() -> {
            if (handle == null) {
                after(RETRY, () -> acquire(waiting));
            } else if (state == waiting) {
                lead(handle);
            } else {
                handle.closeAsync();
            }
        });
    }

    private void lead(LockHandle handle) {
        Leading leading = new Leading(handle);
        state = leading;
        log.info("This instance leads role '{}', term {}", role, handle.fencingToken());
        serial.execute(() -> events.accept(new LeaderGranted(role, handle.fencingToken())));
        handle.onLost(() -> giveUp(leading::equals, Cause.LOST, Duration.ZERO));
    }

    private void giveUp(Predicate<Leading> isMeant, Cause cause, Duration pause) {
        locked(() -> {
            if (state instanceof Leading leading && isMeant.test(leading)) {
                leave(leading, cause);
                compete(pause);
            }
        });
    }

    private void leave(Leading leading, Cause cause) {
        long term = leading.handle.fencingToken();
        log.info("This instance no longer leads role '{}', term {}: {}", role, term, cause);
        serial.execute(() -> {
            events.accept(new LeaderRevoked(role, term, cause));
            leading.handle.closeAsync();
        });
    }

    private void locked(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Enters the leader's lock once more.
     *
     * @return a handle with a release of its own; empty if this instance does not certainly lead
     */
    Optional<LockHandle> enter() {
        try {
            return Stream.concat(leader().stream(), bodiesOfThread())
                    .findFirst()
                    .flatMap(handle -> handle.reenter(request));
        } catch (LockLostException | LockBackendException e) {
            return Optional.empty(); // not, or not for certain
        }
    }

    /** A body that still runs after a yield may call another one, so that it can complete. */
    private Stream<LockHandle> bodiesOfThread() {
        return LockHandle.allCurrent().stream()
                .filter(body ->
                        body.heldBySource() == locks.heldLocks() && body.keys().equals(request.keys()));
    }

    private Optional<LockHandle> leader() {
        return state instanceof Leading leading ? Optional.of(leading.handle) : Optional.empty();
    }

    @Override
    public OptionalLong term() {
        return leader().filter(LockHandle::isHeld).stream()
                .mapToLong(LockHandle::fencingToken)
                .findFirst();
    }

    @Override
    public void ensureLeader() {
        leader().orElseThrow(() -> LeaderLocks.refused(request)).ensureHeld();
    }

    @Override
    public void yield(Duration pause) {
        if (pause.isNegative() || pause.compareTo(LockRequest.MAX_DURATION) > 0) {
            throw new IllegalArgumentException(
                    "The pause of role '" + role + "' is " + pause + "; it must be between 0 and 365 days");
        }
        giveUp(any -> true, Cause.YIELDED, pause);
    }
}
