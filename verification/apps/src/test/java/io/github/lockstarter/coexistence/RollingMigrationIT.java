package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The intermediate release of the guide: it excludes the release before it and the one after it. */
@Tag(Effort.FULL)
class RollingMigrationIT {

    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application = RunningApplication.start(MigratingApplication.class, RunningApplication.Peer.REDISSON);
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    @Test
    void aProviderOfBothLocksExcludesOldAndNewInstances() throws Exception {
        LockProvider old = new RedisLockProvider(application.bean(RedisConnectionFactory.class));
        LockProvider starter =
                new DistributedLockProvider(application.bean(LockOperations.class), Duration.ofSeconds(30));
        LockProvider both = new BothProviders(old, starter);

        assertThat(mostInside(old, both)).isOne();
        assertThat(mostInside(both, starter)).isOne();
        assertThat(mostInside(old, starter)).isGreaterThan(1); // hence the release in between
    }

    @Test
    void aProviderOfBothLocksFreesTheOldOneIfTheNewOneIsBusyOrUnknown() {
        LockProvider old = new RedisLockProvider(application.bean(RedisConnectionFactory.class));
        LockProvider busy = wanted -> Optional.empty();
        LockProvider unknown = wanted -> {
            throw new IllegalStateException("planted");
        };

        assertThat(new BothProviders(old, busy).lock(job("freed"))).isEmpty();
        assertThatThrownBy(() -> new BothProviders(old, unknown).lock(job("freed")))
                .hasMessage("planted");
        assertThat(old.lock(job("freed"))).hasValueSatisfying(SimpleLock::unlock);
    }

    @Test
    void bothLocksInOneMethodExcludeOldAndNewInstances() throws Exception {
        CountingSection section = new CountingSection();

        crowd(() -> underTheOldLock(section::run), () -> underBoth(section::run));
        crowd(() -> underBoth(section::run), () -> underTheNewLock(section::run));

        assertThat(section.mostInside()).isOne();
        assertThat(section.runs()).isEqualTo(2 * CountingSection.ALL);
    }

    private static void underTheOldLock(Runnable work) {
        RLock old = application.bean(RedissonClient.class).getLock("order:42");
        old.lock();
        try {
            work.run();
        } finally {
            old.unlock();
        }
    }

    private static void underBoth(Runnable work) {
        underTheOldLock(() -> underTheNewLock(work));
    }

    private static void underTheNewLock(Runnable work) {
        application.bean(LockOperations.class).execute("order:42", work::run);
    }

    private static int mostInside(LockProvider... providers) throws Exception {
        CountingSection section = new CountingSection();
        crowd(Stream.of(providers)
                .map(provider -> (Runnable) () -> provider.lock(job("report")).ifPresent(lock -> {
                    section.stay(Duration.ofMillis(20));
                    lock.unlock();
                }))
                .toArray(Runnable[]::new));
        assertThat(section.runs()).isPositive();
        return section.mostInside();
    }

    private static void crowd(Runnable... releases) throws Exception {
        CountingSection.crowd(() -> releases[ThreadLocalRandom.current().nextInt(releases.length)].run());
    }

    private static LockConfiguration job(String name) {
        return new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO);
    }

    /** As in the guide. */
    record BothProviders(LockProvider old, LockProvider starter) implements LockProvider {

        @Override
        public Optional<SimpleLock> lock(LockConfiguration wanted) {
            SimpleLock outer = old.lock(wanted).orElse(null);
            if (outer == null) {
                return Optional.empty();
            }
            Optional<SimpleLock> inner = Optional.empty();
            try {
                inner = starter.lock(wanted);
            } finally {
                if (inner.isEmpty()) {
                    outer.unlock();
                }
            }
            return inner.map(lock -> () -> {
                try {
                    lock.unlock();
                } finally {
                    outer.unlock();
                }
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class MigratingApplication {}
}
