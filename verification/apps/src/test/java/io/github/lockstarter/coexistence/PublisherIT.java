package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLockReactive;
import org.redisson.api.RedissonClient;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Methods that return a publisher: the starter runs one subscription at a time. The same test finds several where a
 * library locks until the method returns, or per thread.
 */
@Tag(Effort.FULL)
class PublisherIT {

    private static final int SUBSCRIPTIONS = 20;
    private static final Duration LONG = Duration.ofMinutes(1);

    private static RunningApplication application;

    private static final Duration SHORT = Duration.ofMillis(5);

    /** If the lock is not held meanwhile, the next call enters before the end, even on a busy machine. */
    private static final Duration LONGER_THAN_TWO_CALLS = Duration.ofMillis(500);

    @BeforeAll
    static void start() {
        application = RunningApplication.start(PublisherApplication.class, RunningApplication.Peer.REDISSON);
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    /** Work that takes time but no thread. */
    private static final class Work {

        private final Duration time;

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger mostInside = new AtomicInteger();
        private final AtomicInteger runs = new AtomicInteger();

        private Work(Duration time) {
            this.time = time;
        }

        Mono<Integer> run() {
            return Mono.defer(() -> {
                mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
                return Mono.delay(time).map(tick -> {
                    inside.decrementAndGet(); // not in doFinally, which runs after the release
                    return runs.incrementAndGet();
                });
            });
        }
    }

    /** All from one thread, each with a call of its own. */
    private static void subscribeAtOnce(Supplier<Mono<Integer>> method) {
        Flux.range(0, SUBSCRIPTIONS).flatMap(i -> method.get(), SUBSCRIPTIONS).blockLast(LONG);
    }

    @Test
    void theStarterRunsOneSubscriptionAtATime() {
        Methods methods = application.bean(Methods.class);
        Work work = new Work(SHORT);
        subscribeAtOnce(() -> methods.byStarter(work));
        assertThat(work.mostInside).hasValue(1);
        assertThat(work.runs).hasValue(SUBSCRIPTIONS);
    }

    /** Its owner is the subscribing thread: other subscriptions of that thread enter as well. */
    @Test
    void redissonRunsAllSubscriptionsOfAThread() {
        RLockReactive lock = application.bean(RedissonClient.class).reactive().getLock("publisher");
        Work work = new Work(LONGER_THAN_TWO_CALLS);
        subscribeAtOnce(() -> lock.lock(30, TimeUnit.SECONDS).then(work.run()));
        assertThat(work.mostInside).hasValueGreaterThan(1);
    }

    /** It releases when the method has returned the publisher. */
    @Test
    void shedLockReleasesBeforeTheWorkBegins() {
        Methods methods = application.bean(Methods.class);
        Work work = new Work(LONGER_THAN_TWO_CALLS);
        subscribeAtOnce(() -> methods.byShedLock(work));
        assertThat(work.mostInside).hasValueGreaterThan(1);
    }

    /** As ShedLock, inside of one JVM. */
    @Test
    void springsConcurrencyLimitEndsBeforeTheWorkBegins() {
        Methods methods = application.bean(Methods.class);
        Work work = new Work(LONGER_THAN_TWO_CALLS);
        subscribeAtOnce(() -> methods.byConcurrencyLimit(work));
        assertThat(work.mostInside).hasValueGreaterThan(1);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    @EnableResilientMethods
    @Import(Methods.class)
    static class PublisherApplication {

        @Bean
        LockProvider lockProvider(RedisConnectionFactory redis) {
            return new RedisLockProvider(redis);
        }
    }

    static class Methods {

        @DistributedLock(name = "publisher", waitMs = 60_000)
        public Mono<Integer> byStarter(Work work) {
            return work.run();
        }

        @SchedulerLock(name = "publisher")
        public Mono<Integer> byShedLock(Work work) {
            return work.run();
        }

        @ConcurrencyLimit(1)
        public Mono<Integer> byConcurrencyLimit(Work work) {
            return work.run();
        }
    }
}
