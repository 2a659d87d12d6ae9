package io.github.lockstarter.demo.gallery.caller;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redlock.RedlockAutoConfiguration;
import io.github.lockstarter.demo.process.Sleep;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The starter's lock from a minimal Spring Boot application. Used by one thread, except for losses, which another
 * thread reports.
 */
final class StarterLock implements CallerLock {

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration WARM_UP = Duration.ofSeconds(20);
    private static final Duration WARM_UP_LEASE = Duration.ofSeconds(1);

    private final ConfigurableApplicationContext context;
    private final LockTemplate locks;
    private final CommandBreakpoint breakpoints;
    private AtomicReference<OptionalLong> lost = new AtomicReference<>(OptionalLong.empty());
    private @Nullable LockHandle handle;

    private StarterLock(ConfigurableApplicationContext context, CommandBreakpoint breakpoints) {
        this.context = context;
        this.locks = context.getBean(LockTemplate.class);
        this.breakpoints = breakpoints;
    }

    /**
     * Minimal, since callers start often. Without {@code @Configuration}, so that the sample's component scan does not
     * find it.
     */
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        RedisLockAutoConfiguration.class,
        RedlockAutoConfiguration.class,
        DistributedLockAutoConfiguration.class
    })
    static class Application {}

    /**
     * Starts the application and acquires once, so that connections are open and each server has answered.
     *
     * @param warmUpKey a key that no one else uses
     */
    static StarterLock start(CallerSetting setting, CommandBreakpoint breakpoints, String warmUpKey) {
        String[] arguments = Stream.concat(
                        Stream.of(
                                "spring.config.name=gallery-caller",
                                "spring.main.banner-mode=off",
                                "spring.main.lazy-initialization=true",
                                "logging.level.root=WARN"),
                        setting.properties().stream())
                .map(property -> "--" + property)
                .toArray(String[]::new);
        StarterLock lock = new StarterLock(run(arguments), breakpoints);
        if (lock.acquire(warmUpKey, WARM_UP, WARM_UP_LEASE)) {
            lock.release();
        }
        return lock;
    }

    /** Retries if its servers do not answer: the short timeouts of some exhibits are not meant for a start. */
    private static ConfigurableApplicationContext run(String[] arguments) {
        long deadline = System.nanoTime() + START.toNanos();
        while (true) {
            try {
                return new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .run(arguments);
            } catch (ApplicationContextException noAnswer) {
                if (System.nanoTime() > deadline) {
                    throw noAnswer;
                }
            }
        }
    }

    @Override
    public boolean acquire(String key, Duration wait, Duration lease) {
        long deadline = System.nanoTime() + wait.toNanos();
        Optional<LockHandle> granted = tryAcquire(key, wait, lease);
        while (granted.isEmpty() && System.nanoTime() < deadline) {
            Sleep.lasting(PAUSE);
            granted = tryAcquire(key, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())), lease);
        }
        AtomicReference<OptionalLong> loss = new AtomicReference<>(OptionalLong.empty());
        lost = loss;
        handle = granted.orElse(null);
        if (handle != null) {
            handle.onLost(() -> loss.set(OptionalLong.of(System.nanoTime())));
            breakpoints.reach(CommandBreakpoint.ACQUIRE);
        }
        return handle != null;
    }

    @Override
    public OptionalLong fencingToken() {
        return handle == null ? OptionalLong.empty() : OptionalLong.of(handle.fencingToken());
    }

    @Override
    public OptionalLong lostAt() {
        return Objects.requireNonNull(lost.get());
    }

    @Override
    public boolean release() {
        breakpoints.reach(CommandBreakpoint.RELEASE);
        LockHandle held = handle;
        handle = null;
        return held != null && held.release() == ReleaseOutcome.RELEASED;
    }

    @Override
    public void close() {
        context.close();
    }

    /** A failure of the store counts as not granted, since the caller retries. */
    private Optional<LockHandle> tryAcquire(String key, Duration wait, Duration lease) {
        try {
            return locks.tryAcquire(
                    LockRequest.of(key).maxWait(wait).lease(lease).ownedByHandle());
        } catch (LockBackendException outage) {
            return Optional.empty();
        }
    }
}
