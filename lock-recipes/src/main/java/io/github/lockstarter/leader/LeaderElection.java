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
 * The campaigns of this instance, from application readiness until shutdown. They stop in the first phase (the default
 * one), so that another instance leads early; the phase ends when the listeners have returned and the locks are
 * released.
 *
 * <p>Thread-safe. {@link #lock} guards {@link #campaigns} (which only grows), {@link #started} and {@link #ready};
 * while both are true, each campaign has begun. Lock order: this lock, then a campaign's.
 */
final class LeaderElection implements Leaders, SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);

    private final LockOperations locks;
    private final ApplicationEventPublisher events;

    private final Executor serial = LockThreads.pool(
            "lock-leader", 1, Duration.ofSeconds(10), Thread.currentThread().getContextClassLoader());

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Campaign> campaigns = new ConcurrentHashMap<>();
    private volatile boolean started;
    private boolean ready;

    /**
     * Creates a stopped election.
     *
     * @param locks grants the roles' locks
     * @param events publishes the events
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
     * Re-enters the lock of a role.
     *
     * @param role role
     * @return a handle to release separately; empty unless this instance certainly leads
     */
    public Optional<LockHandle> enter(String role) {
        return role(role).enter();
    }

    private void change(Runnable step) {
        lock.lock();
        try {
            step.run();
            if (started && ready) {
                campaigns.values().forEach(Campaign::begin);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A failing listener, even with an undeclared checked exception, does not end the campaign. */
    private void publish(Object event) {
        try {
            events.publishEvent(event);
        } catch (Exception | Error e) {
            log.warn("A listener of {} failed; later listeners did not receive the event", event, e);
        }
    }

    @Override
    public void start() {
        change(() -> started = true);
    }

    /** All event listeners exist now. */
    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        change(() -> ready = true);
    }

    @Override
    public void stop(Runnable callback) {
        change(() -> started = false);
        CompletableFuture<?>[] ends =
                campaigns.values().stream().map(Campaign::end).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(ends).thenRun(callback);
    }

    /** Does not wait. */
    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    public boolean isRunning() {
        return started;
    }
}
