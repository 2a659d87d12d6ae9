package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.LEASE;
import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RoutingProxy;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.redis.settings.RedisSettings.SingleMaster;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewResult;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No two clients of a store use different layouts, and a client has one layout for life. */
class LayoutDecisionIT {

    @RegisterExtension
    static final RedisExtension SERVER = new RedisExtension();

    @RegisterExtension
    static final RedisExtension NODE = new RedisExtension("--cluster-enabled", "yes");

    @RegisterExtension
    static final TopologyExtension<RedisCluster> CLUSTER = TopologyExtension.cluster();

    private static final Duration PULSE = Duration.ofMillis(100);

    private static final LockToken OWNER = token("a", 1);
    private static final LockToken OTHER = token("b", 1);

    @Test
    void keepsTheLayoutOfOneServer() {
        try (RedisLockBackend backend = backend(SERVER.server(), KeyLayout.AUTO)) {
            backend.start();
            assertThat(SERVER.server().commands().keys("*")).isEmpty();
            new BackendUser(backend).granted(OWNER);
            assertThat(SERVER.server().commands().type("lock:history")).isEqualTo("string");
            assertThat(backend.crashTakeover().state()).isEqualTo(CrashTakeover.State.ON);
        }
    }

    @Test
    void givesEachSlotACounterAndAHistoryBehindTheAddressOfShards() {
        RedisServer node = shards();
        try (RedisLockBackend backend = backend(node, KeyLayout.AUTO)) {
            backend.start();
            assertThat(node.commands().keys("*")).containsExactly("lock:history");
            BackendUser user = new BackendUser(backend);
            long fencingToken = user.granted(OWNER);
            assertThat(user.renew(OWNER, LEASE, fencingToken)).isInstanceOf(RenewResult.Renewed.class);
            String tag = KeySpace.TAGS.of(SlotHash.getSlot(BackendUser.KEY));
            assertThat(node.commands().keys("*"))
                    .contains("lock:history:{" + tag + "}", "lock:fence:{" + tag + "}")
                    .doesNotContain("lock:fence");
            assertThat(answer(backend.attemptAcquire(
                            new AcquireCommand(KeySpace.TAGS.of(0), OTHER, LEASE, 0, 1, Optional.empty()))))
                    .as("in the first slot")
                    .isInstanceOf(AcquireResult.Granted.class);
            assertThat(backend.guard()).isEqualTo(Guard.GUARDED);
            assertThat(backend.crashTakeover().state()).isEqualTo(CrashTakeover.State.OFF);
            assertThat(backend.crashTakeover().reason()).contains("leads to shards");
            assertThat(backend.warnings()).isEmpty();
        }
    }

    /** A client of the cluster, and one that has a single address, exclude each other. */
    @Test
    void sharesLocksWithAClientOfTheCluster() {
        RedisServer node = shards();
        RedisSettings settings = settings(KeyLayout.AUTO);
        try (RedisLockBackend one = backend(node, KeyLayout.AUTO);
                RedisLockBackend ofCluster =
                        new RedisLockBackend(DirectRedisConnector.toCluster(List.of(node.uri()), settings), settings)) {
            long first = new BackendUser(one).granted(OWNER);
            assertThat(new BackendUser(ofCluster).acquire(OTHER)).isInstanceOf(AcquireResult.Contended.class);
            new BackendUser(one).release(OWNER, first);
            assertThat(new BackendUser(ofCluster).granted(OTHER)).isGreaterThan(first);
        }
    }

    /** No attempt is sent in the layout of one server, which shards would refuse. */
    @Test
    void decidesBeforeTheFirstLockIfTheServerWasDownAtTheStart() {
        RedisServer node = shards();
        node.kill();
        try (RedisLockBackend backend = backend(node, KeyLayout.AUTO)) {
            assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(backend::start);
            node.launch();
            List<AcquireResult> results = new ArrayList<>();
            await().until(() -> results.add(new BackendUser(backend).acquire(OWNER))
                    && results.get(results.size() - 1) instanceof AcquireResult.Granted);
            assertThat(results).noneMatch(result -> result.toString().matches("(?s).*(CROSSSLOT|another type).*"));
            assertThat(node.commands().keys("lock:fence*"))
                    .containsExactly("lock:fence:{" + KeySpace.TAGS.of(SlotHash.getSlot(BackendUser.KEY)) + '}');
        }
    }

    /** The same address leads elsewhere later. */
    @Test
    void neverChangesTheLayout() throws Exception {
        RedisServer node = shards();
        try (TcpProxy proxy = TcpProxy.before(SERVER.server());
                RedisLockBackend backend =
                        backend(RedisURI.create(proxy.host(), proxy.port()), KeyLayout.AUTO, PULSE)) {
            backend.start();
            BackendUser user = new BackendUser(backend);
            user.granted(OWNER);

            backend.stop();
            proxy.retarget(node);
            assertThatExceptionOfType(RedisUnavailableException.class)
                    .isThrownBy(backend::start)
                    .withMessageContaining("CROSSSLOT")
                    .satisfies(e -> assertThat(e.remedy()).contains("restart all instances"));
            assertThat(user.acquire(OTHER))
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .contains("CROSSSLOT"));
            assertThat(node.commands().keys("*")).isEmpty();

            backend.stop();
            proxy.retarget(SERVER.server());
            backend.start();
            assertThat(user.acquire(OTHER)).isInstanceOf(AcquireResult.Contended.class);
        }
    }

    @Test
    void refusesTheConfiguredLayoutOfOneServerOnShards() {
        assertThat(refusal(shards(), KeyLayout.STANDALONE))
                .hasMessageContaining("distributed-lock.redis.key-layout is standalone, but Redis at")
                .hasMessageContaining("on different shards");
        assertThat(NODE.server().commands().keys("*")).isEmpty();
    }

    @Test
    void refusesAConfiguredLayoutThatOtherClientsDoNotHave() {
        try (RedisLockBackend first = backend(SERVER.server(), KeyLayout.AUTO)) {
            first.start();
            new BackendUser(first).granted(OWNER);
            assertThat(refusal(SERVER.server(), KeyLayout.CLUSTER))
                    .hasMessageContaining("key-layout is cluster, but Redis at")
                    .hasMessageContaining("the layout standalone");
            assertThat(new BackendUser(first).renew(OWNER, LEASE)).isInstanceOf(RenewResult.Renewed.class);
        }
    }

    @Test
    void takesTheConfiguredLayoutOfOtherClients() {
        try (RedisLockBackend first = backend(SERVER.server(), KeyLayout.CLUSTER);
                RedisLockBackend second = backend(SERVER.server(), KeyLayout.AUTO)) {
            first.start();
            second.start();
            long fencingToken = new BackendUser(first).granted(OWNER);
            assertThat(new BackendUser(second).acquire(OTHER)).isInstanceOf(AcquireResult.Contended.class);
            new BackendUser(first).release(OWNER, fencingToken);
            assertThat(new BackendUser(second).granted(OTHER)).isGreaterThan(fencingToken);
            assertThat(SERVER.server().commands().exists("lock:fence")).isZero();
            assertThat(refusal(SERVER.server(), KeyLayout.STANDALONE)).hasMessageContaining("the layout cluster");
        }
    }

    /** Both have found an unused server at the same time. */
    @Test
    void grantsNothingInTheLayoutThatOtherClientsDoNotHave() {
        try (RedisLockBackend standalone = backend(SERVER.server(), KeyLayout.AUTO);
                RedisLockBackend cluster = backend(SERVER.server(), KeyLayout.CLUSTER)) {
            standalone.start();
            cluster.start();
            assertGrantsNothing(standalone);
            new BackendUser(cluster).granted(OWNER);
        }
    }

    /** The clients with the other layout came first after the data were lost. */
    @Test
    void takesTheServerBackFromClientsThatCameWhenItsDataWereLost() {
        try (RedisLockBackend cluster = backend(SERVER.server().uri(), KeyLayout.CLUSTER, PULSE);
                RedisLockBackend standalone = backend(SERVER.server(), KeyLayout.STANDALONE)) {
            cluster.listen("a", new RecordedSignals());
            cluster.start();
            await().until(() -> {
                SERVER.server().commands().flushall();
                return new BackendUser(standalone).acquire(OTHER) instanceof AcquireResult.Granted;
            });
            await().untilAsserted(() ->
                    assertThat(SERVER.server().commands().type("lock:history")).isEqualTo("zset"));
            assertGrantsNothing(standalone);
            assertThat(new BackendUser(cluster).acquire(OWNER)).isInstanceOf(AcquireResult.Contended.class);
        }
    }

    private static void assertGrantsNothing(RedisLockBackend backend) {
        LockToken next = token("c", 1);
        assertThat(new BackendUser(backend).acquire(next))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("'lock:history' holds another type", "key-layout"));
        assertThat(answer(backend.attemptAcquire(new AcquireCommand(
                        "permits", next, LEASE, 0, 1, Optional.empty(), Duration.ZERO, 3, Optional.empty()))))
                .isInstanceOf(AcquireResult.Rejected.class);
        assertThat(new BackendUser(backend).renew(next, LEASE, 1)).isInstanceOf(RenewResult.Unknown.class);
    }

    @Test
    void refusesANodeOfAClusterThatIsAddressedAlone() {
        RedisServer node = CLUSTER.topology().servers().get(0);
        assertThat(refusal(node, KeyLayout.AUTO)).hasMessageContaining("MOVED").satisfies(e -> assertThat(e.remedy())
                .contains("set spring.data.redis.cluster.nodes"));
        assertThat(node.commands().keys("*")).isEmpty();
    }

    @Test
    void refusesALayoutThatTheTopologyDoesNotHave() {
        RedisSettings settings = settings(KeyLayout.STANDALONE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisLockBackend(
                        DirectRedisConnector.toCluster(List.of(SERVER.server().uri()), settings), settings))
                .withMessageContaining("key-layout is standalone")
                .withMessageContaining("has the layout cluster. Remove key-layout");
    }

    /** A proxy that looks at the first key alone says nothing: in one call, it would find the locks of others free. */
    @Test
    void findsShardsBehindAProxyThatRefusesNothing() throws Exception {
        try (RedisServer other = RedisServer.start();
                RoutingProxy proxy = new RoutingProxy(List.of(SERVER.server(), other), true);
                RedisLockBackend one = backend(uriOf(proxy), KeyLayout.AUTO, PULSE);
                RedisLockBackend two = backend(uriOf(proxy), KeyLayout.AUTO, PULSE)) {
            one.listen("a", new RecordedSignals());
            one.start();
            List<CompletionStage<AcquireResult>> asked = Stream.of(one, two)
                    .flatMap(backend -> IntStream.range(0, 100)
                            .mapToObj(i -> backend.attemptAcquire(new AcquireCommand(
                                    "key" + i, token(backend == one ? "a" : "b", i), LEASE, 0, 1, Optional.empty()))))
                    .toList();
            assertThat(asked.stream().filter(each -> answer(each) instanceof AcquireResult.Granted))
                    .hasSize(100);
            Set<String> locks = new HashSet<>(SERVER.server().commands().keys("lock:{key*"));
            assertThat(locks).isNotEmpty().hasSizeLessThan(100);
            assertThat(other.commands().keys("lock:{key*")).hasSize(100 - locks.size());
            assertThat(one.crashTakeover().reason()).contains("leads to shards");
        }
    }

    @Test
    void refusesAProxyThatSeparatesKeysWithOneTag() throws Exception {
        try (RedisServer other = RedisServer.start();
                RoutingProxy proxy = new RoutingProxy(List.of(SERVER.server(), other), false);
                RedisLockBackend backend = backend(uriOf(proxy), KeyLayout.AUTO, PULSE)) {
            assertThatExceptionOfType(RedisUnavailableException.class)
                    .isThrownBy(backend::start)
                    .withMessageContaining("keys with the same hash tag on different servers")
                    .satisfies(e -> assertThat(e.remedy()).contains("enable_hashtagging"));
            assertThat(SERVER.server().commands().keys("*")).isEmpty();
            assertThat(other.commands().keys("*")).isEmpty();
        }
    }

    private static RedisURI uriOf(RoutingProxy proxy) {
        return RedisURI.create("127.0.0.1", proxy.port());
    }

    private static RedisServer shards() {
        NODE.server().serveAllSlots();
        return NODE.server();
    }

    private static RedisUnavailableException refusal(RedisServer server, KeyLayout layout) {
        try (RedisLockBackend backend = backend(server, layout)) {
            return assertThatExceptionOfType(RedisUnavailableException.class)
                    .isThrownBy(backend::start)
                    .actual();
        }
    }

    private static RedisSettings settings(KeyLayout layout) {
        RedisSettings usual = RedisStore.SETTINGS;
        return new RedisSettings(
                usual.keyPrefix(), usual.commandTimeout(), usual.guard(), SingleMaster.CHECKED, layout);
    }

    private static RedisLockBackend backend(RedisServer server, KeyLayout layout) {
        return new RedisLockBackend(new DirectRedisConnector(server.uri(), settings(layout)), settings(layout));
    }

    private static RedisLockBackend backend(RedisURI uri, KeyLayout layout, Duration pulse) {
        RedisSettings settings = settings(layout);
        DirectRedisConnector connector = new DirectRedisConnector(uri, settings);
        return new RedisLockBackend(connector, settings, new RedisConnections(connector, settings, pulse));
    }
}
