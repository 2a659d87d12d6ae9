package io.github.lockstarter.autoconfigure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperServers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;

/** An application that keeps its locks in ZooKeeper. */
class ZooKeeperApplicationIT {

    private final ZooKeeperServer server = ZooKeeperServers.shared();

    static class Shop {
        @DistributedLock(name = "order", key = "#id")
        public boolean isLocked(String id) {
            return LockHandle.current().map(LockHandle::isHeld).orElse(false);
        }
    }

    /** A further store. */
    @AutoConfiguration(after = DistributedLockAutoConfiguration.class)
    static class MemoryLockAutoConfiguration {

        @Bean
        LockBackendOption distributedLockMemoryOption() {
            return () -> "memory";
        }

        @Bean
        @ConditionalOnLockBackend("memory")
        @ConditionalOnMissingLockBackend
        LocalLockBackend distributedLockMemoryBackend() {
            return new LocalLockBackend();
        }
    }

    private ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        ZooKeeperLockAutoConfiguration.class))
                .withBean(Shop.class)
                .withPropertyValues(
                        "distributed-lock.backend=zookeeper",
                        "distributed-lock.zookeeper.connect-string=" + server.address(),
                        "distributed-lock.zookeeper.session-timeout=60s",
                        "distributed-lock.zookeeper.connection-timeout=20s",
                        "distributed-lock.zookeeper.command-timeout=20s");
    }

    @Test
    void excludesAnotherApplication() {
        application().run(one -> application().run(other -> {
            LockRequest request = LockRequest.of("job").withoutWaiting();
            try (LockHandle held = one.getBean(LockOperations.class).acquire(request)) {
                assertThat(other.getBean(LockOperations.class).tryAcquire(request))
                        .isEmpty();
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(other.getBean(LockOperations.class).tryAcquire(request))
                    .hasValueSatisfying(LockHandle::close); // a shutdown would wait for it
        }));
    }

    @Test
    void usesZooKeeperAndAnotherStoreSideBySide() {
        application()
                .withConfiguration(AutoConfigurations.of(MemoryLockAutoConfiguration.class))
                .withPropertyValues(
                        "distributed-lock.backend=memory",
                        "distributed-lock.further-backends=zookeeper",
                        "distributed-lock.zookeeper.root=/further")
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    LockOperations zookeeper = context.getBean("zookeeperLocks", LockOperations.class);
                    try (LockHandle there = zookeeper.acquire("leader");
                            LockHandle here = locks.acquire("other");
                            CuratorFramework look = client()) {
                        look.start();
                        assertThat(there.isHeld() && here.isHeld()).isTrue();
                        List<String> kept = look.getChildren().forPath("/further");
                        assertThat(kept).singleElement().asString().endsWith("leader");
                    }
                });
    }

    @Test
    void usesTheClientOfTheApplicationAndLeavesItOpen() {
        CuratorFramework shared = client();
        application()
                .withBean(CuratorFramework.class, () -> shared, definition -> definition.setDestroyMethodName(""))
                .withPropertyValues("distributed-lock.zookeeper.connect-string=127.0.0.1:1")
                .run(context ->
                        assertThat(context.getBean(Shop.class).isLocked("42")).isTrue());

        assertThat(shared.getState()).isEqualTo(CuratorFrameworkState.STARTED);
        shared.close();
    }

    @Test
    void startFailsWhenTheChrootDoesNotExist() {
        application()
                .withPropertyValues("distributed-lock.zookeeper.connect-string=" + server.address() + "/not-there")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LockStartException.class)
                        .hasMessageContainingAll("'/not-there'", "Create it", "connect string"));
    }

    @Test
    void reportsAMissingChrootUntilItExists() {
        application()
                .withPropertyValues(
                        "distributed-lock.zookeeper.connect-string=" + server.address() + "/later",
                        "distributed-lock.zookeeper.required-at-start=false")
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    ZooKeeperLockBackend backend = context.getBean(ZooKeeperLockBackend.class);
                    assertThatExceptionOfType(LockBackendException.class)
                            .isThrownBy(() -> locks.acquire("job"))
                            .withMessageContainingAll("'/later'", "Create it")
                            .withMessageNotContaining("outcome");
                    assertThat(failureOf(backend))
                            .hasValueSatisfying(failure -> assertThat(failure).contains("'/later'", "Create it"));

                    try (CuratorFramework look = client()) {
                        look.start();
                        look.create().forPath("/later");
                    }

                    locks.acquire("job").close();
                    assertThat(failureOf(backend)).isEmpty();
                });
    }

    private static Optional<String> failureOf(ZooKeeperLockBackend backend) {
        return backend.state().toCompletableFuture().join().failure();
    }

    /** As the reference shows it. */
    @Test
    void protectsLocksByTheAclOfTheClient() {
        CuratorFramework user = CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .retryPolicy(new RetryOneTime(100))
                .authorization("digest", "locks:secret".getBytes(StandardCharsets.UTF_8))
                .aclProvider(new ACLProvider() {
                    @Override
                    public List<ACL> getDefaultAcl() {
                        return ZooDefs.Ids.CREATOR_ALL_ACL;
                    }

                    @Override
                    public List<ACL> getAclForPath(String path) {
                        return ZooDefs.Ids.CREATOR_ALL_ACL;
                    }
                })
                .build();
        application()
                .withBean(CuratorFramework.class, () -> user)
                .withPropertyValues("distributed-lock.zookeeper.root=/guarded")
                .run(context -> {
                    try (LockHandle held = context.getBean(LockOperations.class).acquire("job");
                            CuratorFramework stranger = client()) {
                        stranger.start();
                        assertThatExceptionOfType(KeeperException.NoAuthException.class)
                                .isThrownBy(() -> stranger.getChildren().forPath("/guarded/lock%3Ajob"));
                        assertThatExceptionOfType(KeeperException.NoAuthException.class)
                                .isThrownBy(() -> stranger.delete().forPath("/guarded/lock%3Ajob"));
                        assertThat(held.isHeld()).isTrue();
                    }
                });
    }

    private CuratorFramework client() {
        return CuratorFrameworkFactory.newClient(server.address(), new RetryOneTime(100));
    }
}
