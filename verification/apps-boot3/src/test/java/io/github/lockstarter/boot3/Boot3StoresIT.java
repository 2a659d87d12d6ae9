package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Locks in the other stores, with the versions of Netty and of the database pool that Boot 3.5 has. */
@Tag("stores")
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class Boot3StoresIT {

    /** Servers that were never used vote after the longest lease. */
    @Test
    void locksOnAQuorum() {
        try (RedisQuorum servers = RedisQuorum.start(3)) {
            assertLocks(
                    "--distributed-lock.backend=redlock",
                    "--distributed-lock.lease=2s",
                    "--distributed-lock.max-wait=60s",
                    "--distributed-lock.redlock.nodes=" + servers.addresses());
        }
    }

    @Test
    void locksInADatabaseWhoseTableIsCreatedAtStartup() {
        assertLocks("--distributed-lock.backend=jdbc", "--spring.datasource.url=jdbc:h2:mem:locks");
    }

    @Test
    void locksInZooKeeper() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start()) {
            assertLocks(
                    "--distributed-lock.backend=zookeeper",
                    "--distributed-lock.zookeeper.connect-string=" + server.address());
        }
    }

    @Test
    void reportsAnUnreachableEtcd(CapturedOutput output) {
        String address = "127.0.0.1:" + FreePort.next();

        assertThatThrownBy(() ->
                        start("--distributed-lock.backend=etcd", "--distributed-lock.etcd.endpoints=http://" + address))
                .isInstanceOf(Exception.class);

        assertThat(output).contains("APPLICATION FAILED TO START").contains("etcd at " + address);
    }

    private static void assertLocks(String... properties) {
        try (ConfigurableApplicationContext application = start(properties)) {
            Ledger ledger = application.getBean(Ledger.class);

            long first = ledger.post("rent");

            assertThat(ledger.post("rent")).isGreaterThan(first);
        }
    }

    private static ConfigurableApplicationContext start(String... properties) {
        SpringApplication application = new SpringApplication(LedgerApplication.class);
        application.setMainApplicationClass(LedgerApplication.class); // else the log names the test runner
        return application.run(properties);
    }

    /** Returns the fencing token of the lock under which it posts. */
    static class Ledger {

        @DistributedLock(key = "#account")
        public long post(String account) {
            return LockHandle.current().orElseThrow().fencingToken();
        }
    }

    /** Has the stores on its class path, and chooses one. */
    @SpringBootApplication(scanBasePackages = "none")
    static class LedgerApplication {

        @Bean
        Ledger ledger() {
            return new Ledger();
        }
    }
}
