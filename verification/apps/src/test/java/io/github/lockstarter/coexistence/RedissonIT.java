package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.spring.data.connection.RedissonConnectionFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** With Redisson's starter, whose connection factory replaces Lettuce's. */
@Tag(Effort.FULL)
@ExtendWith(OutputCaptureExtension.class)
class RedissonIT {

    private static RunningApplication application;
    private static String startLog;

    @BeforeAll
    static void start(CapturedOutput output) {
        application = RunningApplication.start(RedissonApplication.class, RunningApplication.Peer.REDISSON);
        startLog = output.getAll();
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    @Test
    void keepsTheConnectionFactoryOfTheApplication() {
        assertThat(application.bean(RedisConnectionFactory.class)).isInstanceOf(RedissonConnectionFactory.class);
        assertThat(startLog)
                .containsOnlyOnce("Distributed locks use a Lettuce client of their own, to Redis at 127.0.0.1:")
                .contains("the application's connection factory is a org.redisson.");
    }

    /** A call with a lease, which is not renewed: before and after the migration. */
    @Test
    void aLockWithoutRenewalEndsWithItsLeaseInBoth() throws Exception {
        RLock theirs = application.bean(RedissonClient.class).getLock("leased");
        LockOperations locks = application.bean(LockOperations.class);
        LockRequest request =
                LockRequest.of("leased").lease(Duration.ofMillis(200)).withoutRenewal();

        assertThat(theirs.tryLock(0, 200, TimeUnit.MILLISECONDS)).isTrue();
        LockHandle ours = locks.tryAcquire(request).orElseThrow();
        await().until(() -> !theirs.isHeldByCurrentThread() && !ours.isHeld());

        assertThatThrownBy(theirs::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(ours::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void fencingTokensGrowInBoth() {
        RFencedLock theirs = application.bean(RedissonClient.class).getFencedLock("fenced");
        LockOperations locks = application.bean(LockOperations.class);
        long before = theirs.lockAndGetToken();
        theirs.unlock();
        long ofOurs;
        try (LockHandle lock = locks.acquire("fenced")) {
            ofOurs = lock.fencingToken();
        }

        assertThat(theirs.lockAndGetToken()).isGreaterThan(before);
        theirs.unlock();
        try (LockHandle lock = locks.acquire("fenced")) {
            assertThat(lock.fencingToken()).isGreaterThan(ofOurs);
            assertThat(ofOurs)
                    .as("so that a resource accepts it after the change")
                    .isGreaterThan(before);
        }
    }

    @Test
    void anotherInstanceSeesTheLockInBoth() {
        RLock theirs = application.bean(RedissonClient.class).getLock("seen");
        LockAdmin admin = application.bean(LockAdmin.class);
        Lock ours = application.bean(LockOperations.class).asLock("seen");

        assertThat(theirs.isLocked()).isFalse();
        assertThat(admin.inspect("seen").join()).isNotInstanceOf(LockAdmin.StoredLock.Held.class);
        assertThat(theirs.tryLock()).isTrue();
        assertThat(ours.tryLock()).isTrue();
        assertThat(theirs.isLocked()).isTrue();
        assertThat(admin.inspect("seen").join()).isInstanceOf(LockAdmin.StoredLock.Held.class);
        theirs.unlock();
        ours.unlock();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class RedissonApplication {}
}
