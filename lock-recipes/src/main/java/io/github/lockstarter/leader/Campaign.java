package io.github.lockstarter.leader;

import io.github.lockstarter.DurationText;
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
 * Competes for one role: waits for its lock, leads while it holds the lock, and competes again. {@link #lock} guards
 * {@link #state} and the content of {@link Waiting}; readers read the state once, without the lock.
 *
 * <pre>
 * Stopped --begin--> Waiting --grant--> Leading --loss, yield--> Waiting (a new one)
 *    any state --end--> Stopped
 * </pre>
 *
 * <ol>
 *   <li>{@link #term} is present only in Leading, and only while its handle is certainly held. A doubt is no
 *       transition.
 *   <li>Transitions to and from Leading queue their events under the lock, on the serial executor: events
 *       alternate, in the order of the transitions.
 *   <li>A call enters a body only if it read Leading or runs inside another body. The handle is released after the
 *       listeners of the transition from Leading, the lock itself with the last body.
 *   <li>There is at most one acquisition, of one Waiting; if the state has changed, its grant is released. It
 *       begins after the listeners of the last transition, the last body and the pause of a yield.
 * </ol>
 *
 * <p>Any thread calls; acquisitions and listeners run on the serial executor; grants and losses arrive on threads of
 * the lock client, which acquires its locks inside this one and calls back without them. No thread blocks or calls a
 * listener under the lock.
 */
final class Campaign implements Leadership {

    private static final Logger log = LoggerFactory.getLogger(Campaign.class);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private final String role;
    private final LockRequest request;
    private final LockOperations locks;
    private final Executor serial;
    private final Consumer<Object> events;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile State state = new Stopped();

    private sealed interface State {}

    private record Stopped() implements State {}

    /** Before and during an acquisition. */
    private static final class Waiting implements State {

        private CompletableFuture<LockHandle> acquiring = new CompletableFuture<>();
    }

    private record Leading(LockHandle handle) implements State {}

    /**
     * @param serial runs one task at a time
     * @param events never throws
     */
    Campaign(String role, LockOperations locks, Executor serial, Consumer<Object> events) {
        this.role = role;
        this.request = LeaderLocks.requestFor(role);
        this.locks = locks;
        this.serial = serial;
        this.events = events;
    }

    void begin() {
        underLock(() -> {
            if (state instanceof Stopped && !isMocked()) {
                compete(Duration.ZERO);
            }
        });
    }

    /**
     * A leader notifies its listeners, then releases the lock.
     *
     * @return completes when the listeners have returned and this instance does not hold the lock
     */
    CompletableFuture<Void> end() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        underLock(() -> {
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
        serial.execute(() -> whenReleased(() -> after(pause, () -> compete(next))));
    }

    /** Polls, because no event reports the end of the last body, which has its own entry in the hold. */
    private void whenReleased(Runnable next) {
        if (isMocked() || locks.heldLocks().find(request.keys().get(0)).isEmpty()) {
            next.run();
        } else {
            after(POLL_INTERVAL, () -> whenReleased(next));
        }
    }

    /** Mocked locks grant nothing. */
    private boolean isMocked() {
        return locks.heldLocks() == null;
    }

    private void after(Duration delay, Runnable task) {
        CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, serial)
                .execute(task);
    }

    private void compete(Waiting waiting) {
        underLock(() -> {
            if (state == waiting) {
                try {
                    waiting.acquiring = locks.acquireAsync(request.maxWait(LockRequest.MAX_DURATION));
                } catch (RuntimeException e) {
                    log.warn("Cannot compete for role '{}'; tries again in {} ms", role, RETRY_DELAY.toMillis(), e);
                    waiting.acquiring = CompletableFuture.failedFuture(e);
                }
                waiting.acquiring.whenComplete((handle, failure) -> acquired(waiting, handle));
            }
        });
    }

    /** The lock client logs outages. */
    private void acquired(Waiting waiting, @Nullable LockHandle handle) {
        underLock(() -> {
            if (handle == null) {
                after(RETRY_DELAY, () -> compete(waiting));
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

    private void giveUp(Predicate<Leading> condition, Cause cause, Duration pause) {
        underLock(() -> {
            if (state instanceof Leading leading && condition.test(leading)) {
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

    private void underLock(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            lock.unlock();
        }
    }

    /** {@return a handle to release separately; empty unless this instance certainly leads} */
    Optional<LockHandle> enter() {
        try {
            return Stream.concat(leader().stream(), bodiesOfThread())
                    .findFirst()
                    .flatMap(handle -> handle.reenter(request));
        } catch (LockLostException | LockBackendException e) {
            return Optional.empty(); // lost or in doubt
        }
    }

    /** A body that still runs after a yield may call another one. */
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
        leader().orElseThrow(() -> LeaderLocks.notLeader(request)).ensureHeld();
    }

    @Override
    public void yield(Duration pause) {
        DurationText.check("The pause of role '" + role + "'", pause, Duration.ZERO, LockRequest.MAX_DURATION);
        giveUp(any -> true, Cause.YIELDED, pause);
    }
}
