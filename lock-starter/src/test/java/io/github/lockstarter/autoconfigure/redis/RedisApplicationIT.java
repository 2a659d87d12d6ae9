package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

@ExtendWith(OutputCaptureExtension.class)
class RedisApplicationIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Test
    void locksOnTheServerOfTheApplication() {
        application().run(context -> {
            try (LockHandle lock = context.getBean(LockTemplate.class).acquire("order:42")) {
                lock.ensureHeld();
                assertThat(REDIS.server().commands().exists("lock:{order:42}")).isEqualTo(1);
            }
            assertThat(REDIS.server().commands().exists("lock:{order:42}")).isZero();
        });
    }

    @Test
    void locksInTheDatabaseOfTheApplication() {
        application().withPropertyValues("spring.data.redis.database=3").run(context -> {
            context.getBean(LockTemplate.class).acquire("order:42").close();
            assertThat(context.getBean(StringRedisTemplate.class).hasKey("lock:fence"))
                    .isTrue();
            assertThat(REDIS.server().commands().exists("lock:fence")).isZero();
        });
    }

    @Test
    void usesTheLoginOfTheApplication() {
        REDIS.server().grantDefaultUser("resetpass", ">s3cret");
        application().withPropertyValues("spring.data.redis.password=s3cret").run(context -> assertThat(context)
                .hasNotFailed());
    }

    @Test
    void namesThePropertyOfAWrongPassword() {
        REDIS.server().grantDefaultUser("resetpass", ">s3cret");
        application().withPropertyValues("spring.data.redis.password=wr0ng").run(context -> {
            assertThat(context).hasFailed();
            assertThat(FailureReport.of(context.getStartupFailure()))
                    .contains("spring.data.redis.password")
                    .containsAnyOf("WRONGPASS", "the server closed the connection")
                    .doesNotContain("wr0ng");
        });
    }

    @Test
    void namesItsConnectionsAfterTheApplication() {
        application()
                .withPropertyValues("spring.application.name=order service")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(REDIS.server().commands().clientList()).contains("name=order-service-lock");
                });
    }

    @Test
    void doesNotStopTheClientThreadsOfTheApplication() {
        application().run(context -> {
            context.getBean(RedisLockBackend.class).close();
            StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
            template.opsForValue().set("page", "1");
            assertThat(template.opsForValue().get("page")).isEqualTo("1");
        });
    }

    @Test
    void disconnectsWhenTheContextStopsAndReconnectsWhenItStarts() {
        try (TcpProxy proxy = TcpProxy.before(REDIS.server())) {
            application()
                    .withPropertyValues("spring.data.redis.port=" + proxy.port())
                    .run(context -> {
                        ConfigurableApplicationContext application = context.getSourceApplicationContext();
                        LockTemplate template = context.getBean(LockTemplate.class);
                        template.acquire("order:42").release();
                        application.stop();
                        Awaitility.await().untilAsserted(() -> assertThat(proxy.connections())
                                .isZero());
                        application.start();
                        template.acquire("order:42").release();
                    });
            Awaitility.await()
                    .untilAsserted(() -> assertThat(proxy.connections()).isZero());
        }
    }

    /**
     * Another instance takes over the locks of a disconnected one within about 2 s, long before their leases end.
     */
    @Test
    void staysConnectedUntilTheLeaseOfALockHeldAtTheCloseIsOver() {
        application().run(other -> {
            AtomicReference<LockHandle> held = new AtomicReference<>();
            CompletableFuture<LockHandle> next = new CompletableFuture<>();
            AtomicLong acquiring = new AtomicLong();
            application()
                    .withPropertyValues(
                            "distributed-lock.lease=5s", "spring.lifecycle.timeout-per-shutdown-phase=100ms")
                    .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                    .run(context -> {
                        acquiring.set(System.nanoTime());
                        held.set(context.getBean(LockTemplate.class)
                                .acquire(LockRequest.of("order:42").ownedByHandle()));
                        other.getBean(LockTemplate.class)
                                .acquireAsync(LockRequest.of("order:42").maxWait(Patience.TIME))
                                .thenAccept(next::complete);
                    });
            next.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join().release();
            assertThat(Duration.ofNanos(System.nanoTime() - acquiring.get())).isGreaterThan(Duration.ofSeconds(4));
            assertThat(held.get().isHeld()).isFalse();
        });
    }

    @Test
    void connectsWhenRedisStartsLater() {
        REDIS.server().stop();
        application()
                .withPropertyValues("distributed-lock.redis.required-at-start=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    REDIS.server().restart();
                    context.getBean(LockTemplate.class).acquire("order:42").close();
                });
    }

    @Test
    void warnsOnceAtStartupWhenAFailoverWouldGoUnnoticed(CapturedOutput output) {
        application().run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("WARN");

        REDIS.server().grantDefaultUser("-info");
        application().run(context -> {
            context.getBean(LockTemplate.class).acquire("order:42").close();
            assertThat(context.getBean(RedisLockBackend.class).guard()).isEqualTo(Guard.DEGRADED);
        });
        assertThat(output).containsOnlyOnce("WARN").contains("not a failover", "+info");
    }

    @Test
    void doesNotWarnAboutFailoverWhenItDoesNotMatter(CapturedOutput output) {
        REDIS.server().grantDefaultUser("-info");
        application()
                .withPropertyValues("distributed-lock.redis.grace-period=0s")
                .run(context -> assertThat(
                                context.getBean(RedisLockBackend.class).guard())
                        .isEqualTo(Guard.OFF));
        assertThat(output).doesNotContain("WARN");
    }

    private static ApplicationContextRunner application() {
        return RedisApplication.on(REDIS.server());
    }
}
