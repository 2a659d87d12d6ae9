package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.lock.LockFailureStrategy;
import com.baomidou.lock.LockInfo;
import com.baomidou.lock.annotation.Lock4j;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.testing.Effort;
import java.lang.reflect.Method;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

/** With lock4j, which has a bean {@code lockTemplate} and its own advisor. */
@Tag(Effort.FULL)
class Lock4jIT {

    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application = RunningApplication.start(Lock4jApplication.class, RunningApplication.Peer.LOCK4J);
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    @Test
    void bothTemplatesAreInjectedByTheirTypes() {
        Templates templates = application.bean(Templates.class);

        assertThat(templates.theirs).isNotNull();
        assertThat(templates.ours).isNotNull();
    }

    @Test
    void aSecondSubmitIsRefusedByBoth() {
        Stock stock = application.bean(Stock.class);

        stock.submitByLock4j(42);
        stock.submitByStarter(42);

        assertThatThrownBy(() -> stock.submitByLock4j(42)).hasMessage("busy: lock4j:submit#42");
        assertThatThrownBy(() -> stock.submitByStarter(42))
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("submit:42");
        stock.submitByLock4j(43);
        stock.submitByStarter(43);
    }

    @Test
    void aContendedCallRunsItsFallbackWithBoth() {
        Stock stock = application.bean(Stock.class);
        Templates templates = application.bean(Templates.class);
        LockInfo theirs = templates.theirs.lock("lock4j:busy#42", 30_000, 1_000);
        try (LockHandle ours = templates.ours.acquireAsync("busy:42").join()) {
            assertThat(ours.isHeld()).isTrue();
            assertThatThrownBy(() -> stock.orBusyByLock4j(42)).isInstanceOf(IllegalStateException.class);
            assertThat(stock.orBusyByStarter(42)).isEqualTo("busy with 42");
        } finally {
            templates.theirs.releaseLock(theirs);
        }
        assertThat(stock.orBusyByLock4j(42)).isEqualTo("done");
        assertThat(stock.orBusyByStarter(42)).isEqualTo("done");
    }

    /** For a migration: two keys are one lock in lock4j, and two locks here. */
    @Test
    void severalKeysAreOneLockInLock4jAndSeveralLocksHere() {
        Stock stock = application.bean(Stock.class);
        StringRedisTemplate redis = application.bean(StringRedisTemplate.class);

        assertThat(stock.keysOfLock4j(1, 2, redis)).singleElement().asString().endsWith("#1.2");
        assertThat(stock.keysOfStarter(1, 2, redis))
                .containsExactlyInAnyOrder("lock:{Stock.keysOfStarter:1}", "lock:{Stock.keysOfStarter:2}");
        assertThat(stock.joinedKeyOfStarter(1, 2, redis)).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Stock.class, Templates.class, BusyStrategy.class})
    static class Lock4jApplication {}

    /** The only one in the application, so lock4j takes it for all its locks. It cannot return a result. */
    static class BusyStrategy implements LockFailureStrategy {
        @Override
        public void onLockFailure(String key, Method method, Object[] arguments) {
            throw new IllegalStateException("busy: " + key);
        }
    }

    static class Templates {

        final com.baomidou.lock.LockTemplate theirs;
        final LockTemplate ours;

        Templates(com.baomidou.lock.LockTemplate theirs, LockTemplate ours) {
            this.theirs = theirs;
            this.ours = ours;
        }
    }

    /** Without an expiry, lock4j renews by a timer that outlives the application, and fails in a later test. */
    static class Stock {

        private static final long EXPIRY = 30_000;

        @Lock4j(
                keys = {"#a", "#b"},
                expire = EXPIRY)
        public Set<String> keysOfLock4j(long a, long b, StringRedisTemplate redis) {
            return redis.keys("lock4j:*");
        }

        @DistributedLock(key = {"#a", "#b"})
        public Set<String> keysOfStarter(long a, long b, StringRedisTemplate redis) {
            return redis.keys("lock:{Stock.keysOfStarter:?}");
        }

        @DistributedLock(key = "#a + '.' + #b")
        public boolean joinedKeyOfStarter(long a, long b, StringRedisTemplate redis) {
            return redis.hasKey("lock:{Stock.joinedKeyOfStarter:1.2}");
        }

        @Lock4j(name = "submit", keys = "#id", expire = 10_000, acquireTimeout = 100, autoRelease = false)
        public void submitByLock4j(long id) {}

        @DistributedLock(name = "submit", key = "#id", minHoldMs = 10_000, maxWaitMs = 100)
        public void submitByStarter(long id) {}

        @Lock4j(name = "busy", keys = "#id", expire = EXPIRY, acquireTimeout = 100, failStrategy = BusyStrategy.class)
        public String orBusyByLock4j(long id) {
            return "done";
        }

        @DistributedLock(name = "busy", key = "#id", maxWaitMs = 100, fallbackMethod = "busy")
        public String orBusyByStarter(long id) {
            return "done";
        }

        @SuppressWarnings("UnusedMethod") // called by its name
        private String busy(long id) {
            return "busy with " + id;
        }
    }
}
