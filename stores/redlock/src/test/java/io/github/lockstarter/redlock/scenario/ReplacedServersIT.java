package io.github.lockstarter.redlock.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.scenario.RedisScenario;
import io.github.lockstarter.redlock.contract.QuorumStore;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Locks work again, and are kept, when the open connections to a majority lead nowhere and nobody says so: a firewall
 * has forgotten them, or the servers behind them hang or have become replicas, and others have replaced them.
 */
@Timeout(300)
@Tag(Effort.FULL)
class ReplacedServersIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static final Duration LEASE = Duration.ofSeconds(90);
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Map<RedisServer, TcpProxy> proxies = new LinkedHashMap<>();
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private Application application;
    private LockHandle held;

    @BeforeEach
    void hold() {
        REDIS.topology().servers().forEach(server -> proxies.put(server, resource(TcpProxy.before(server))));
        List<RedisURI> behind = proxies.values().stream()
                .map(proxy -> RedisURI.create(proxy.host(), proxy.port()))
                .toList();
        QuorumStore store = resource(QuorumStore.of(behind, GRACE));
        application = resource(Application.over(store.connect(), Application.settings(LEASE)));
        WarmUp.connect(application.locks(), "warm-up");
        held = application.locks().acquire("replaced:" + UUID.randomUUID());
    }

    @AfterEach
    void close() throws Exception {
        while (!resources.isEmpty()) {
            resources.pop().close();
        }
    }

    @Test
    void worksAgainAfterAllConnectionsWereForgotten() {
        proxies.values().forEach(TcpProxy::forget);

        RedisScenario.assertWorksAgain(application, held, LEASE);
    }

    @Test
    void worksAgainAfterAMajorityHungAndWasReplaced() {
        majority().forEach(RedisServer::pause);
        majority().forEach(server -> proxies.get(server).retarget(resource(RedisServer.start())));

        RedisScenario.assertWorksAgain(application, held, LEASE);
    }

    @Test
    void worksAgainAfterAMajorityWasDemoted() {
        majority().forEach(server -> {
            RedisServer successor = resource(RedisServer.start());
            proxies.get(server).retarget(successor);
            server.commands().replicaof(successor.host(), successor.port());
            resources.push(() -> server.commands().replicaofNoOne());
        });

        RedisScenario.assertWorksAgain(application, held, LEASE);
    }

    private static List<RedisServer> majority() {
        return REDIS.topology().servers().subList(0, 3);
    }

    private <T extends AutoCloseable> T resource(T opened) {
        resources.push(opened);
        return opened;
    }
}
