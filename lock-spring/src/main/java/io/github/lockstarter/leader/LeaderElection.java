package io.github.lockstarter.leader;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.spi.LockThreads;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

/**
 * The campaigns of this instance, and the one thread on which they tell of changes. Campaigns run from the moment when
 * the application is ready until it stops: in the first phase, which is the default one, so that the next leader need
 * not wait for the rest. The phase ends when the listeners have returned and the locks are released, or with {@code
 * spring.lifecycle.timeout-per-shutdown-phase}.
 *
 * <p>Any thread calls. {@link #lock} guards the changes of {@link #campaigns}, to which roles are only added, of {@link
 * #isStarted} and of {@link #isReady}; while both are true, each campaign has begun. Locks are taken in the order: this
 * one, that of a campaign.
 */
public final class LeaderElection implements Leaders, SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);

    private final LockOperations locks;
    private final ApplicationEventPublisher events;

    /** Its thread ends when it is idle. */
    private final Executor serial = LockThreads.pool(
            "lock-leader", 1, Duration.ofSeconds(10), Thread.currentThread().getContextClassLoader());

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Campaign> campaigns = new ConcurrentHashMap<>();
    private volatile boolean isStarted;
    private boolean isReady;

    /**
     * An election without roles, not started.
     *
     * @param locks grants the locks of the roles
     * @param events where the events go
     */
    public LeaderElection(LockOperations locks, ApplicationEventPublisher events) {
        this.locks = locks;
        this.events = events;
    }

    @Override
    public Campaign role(String role) {
        Campaign known = campaigns.get(role);
        if (known != null) {
            return known;
        }
        Campaign added = new Campaign(role, locks, serial, this::publish);
        change(() -> campaigns.putIfAbsent(role, added));
        return campaigns.getOrDefault(role, added);
    }

    /**
     * Enters the lock of a role once more.
     *
     * @param role the role
     * @return a handle with a release of its own; empty if this instance does not certainly lead
     */
    public Optional<LockHandle> enter(String role) {
        return role(role).enter();
    }

    private void change(Runnable step) {
        lock.lock();
        try {
            step.run();
            if (isStarted && isReady) {
                campaigns.values().forEach(Campaign::begin);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A listener that fails does not stop the campaign, even with a checked exception that it does not declare. */
    private void publish(Object event) {
        try {
            events.publishEvent(event);
        } catch (Exception | Error e) {
            log.warn("A listener of {} failed; later listeners did not receive the event", event, e);
        }
    }

    /** The context starts, or starts again. */
    @Override
    public void start() {
        change(() -> isStarted = true);
    }

    /** All that listens to the events is there. */
    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        change(() -> isReady = true);
    }

    @Override
    public void stop(Runnable callback) {
        change(() -> isStarted = false);
        CompletableFuture<?>[] ends =
                campaigns.values().stream().map(Campaign::end).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(ends).thenRun(callback);
    }

    /** {@link #stop(Runnable)} without waiting. */
    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    public boolean isRunning() {
        return isStarted;
    }
}
