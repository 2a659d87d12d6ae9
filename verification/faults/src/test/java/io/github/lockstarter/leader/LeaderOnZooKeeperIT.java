package io.github.lockstarter.leader;

import io.github.lockstarter.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.leader.testing.LeaderElectionSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;

/** Leader election on ZooKeeper. */
@Tag("full")
class LeaderOnZooKeeperIT extends LeaderElectionSuite {

    private static ZooKeeperServer server;

    @BeforeAll
    static void start() {
        server = ZooKeeperServer.start("maxSessionTimeout=60000");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ZooKeeperLockAutoConfiguration.class)
    static class Store {}

    @Override
    protected SpringApplicationBuilder onStore(SpringApplicationBuilder application) {
        return application
                .sources(Store.class)
                .properties(
                        "distributed-lock.backend=zookeeper",
                        "distributed-lock.zookeeper.connect-string=" + server.address());
    }
}
