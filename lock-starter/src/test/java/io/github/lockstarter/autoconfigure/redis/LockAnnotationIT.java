package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover.State;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

class LockAnnotationIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static ApplicationContextRunner application() {
        return RedisApplication.on(REDIS.server());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import(H2Bank.class)
    static class Transactions {}

    static class Bookings {
        private final JdbcTemplate jdbc;

        Bookings(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock(leaseMs = 1500)
        @Transactional
        public void bookForLongerThanTheLeaseWhileRedisHangs() {
            bookWhileRedisHangs();
        }

        @DistributedLock
        @Transactional
        public void bookForLessThanTheLeaseWhileRedisHangs() {
            bookWhileRedisHangs();
        }

        private void bookWhileRedisHangs() {
            jdbc.update("insert into booking values (1)");
            REDIS.server().pause();
            LockHandle handle = LockHandle.current().orElseThrow();
            await().until(() -> !handle.isHeld());
        }
    }

    @Test
    void rollsBackWhenRedisHungForLongerThanTheLease() {
        assertThat(failureOf(Bookings::bookForLongerThanTheLeaseWhileRedisHangs, RedisApplication.PATIENT))
                .isInstanceOf(LockLostException.class);
    }

    /**
     * The connection of the database is not kept until the lease is over. Where the lease is over before the call asks,
     * in a pause of this process, the test begins again.
     */
    @Test
    void rollsBackAfterACommandTimeoutWhileTheLockIsInDoubt() {
        await().untilAsserted(() -> assertThat(failureOf(
                        Bookings::bookForLessThanTheLeaseWhileRedisHangs, "distributed-lock.redis.command-timeout=1s"))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("Cannot tell whether lock"));
    }

    /** Of a call that books nothing. */
    private static Throwable failureOf(Consumer<Bookings> call, String commandTimeout) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        application()
                .withUserConfiguration(Transactions.class)
                .withBean(Bookings.class)
                .withPropertyValues(commandTimeout, "distributed-lock.redis.required-at-start=false")
                .run(context -> {
                    // A lock that is acquired before the first beat has its answer is in no doubt when Redis hangs.
                    CrashTakeoverApplicationIT.awaitTakeover(context.getBean(LockAdmin.class), State.ON);
                    try {
                        failure.set(catchThrowable(() -> call.accept(context.getBean(Bookings.class))));
                    } finally {
                        REDIS.server().resume();
                    }
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("select count(*) from booking", Integer.class))
                            .isZero();
                });
        return failure.get();
    }
}
