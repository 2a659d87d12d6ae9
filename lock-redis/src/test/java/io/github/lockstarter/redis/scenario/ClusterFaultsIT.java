package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.KeySpace;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Changes of a cluster cost waiters time but no lock, and trouble of one node does not affect the others. */
@Timeout(300)
class ClusterFaultsIT {

    @RegisterExtension
    static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

    private final String key = "cluster:" + UUID.randomUUID();
    private final String lockKey = "lock:{" + key + "}";
    private RedisStore store;
    private Application application;

    @BeforeEach
    void connect() {
        store = RedisStore.of(REDIS.topology());
        application = Application.over(store.connect());
        WarmUp.connect(application.locks(), "warm-up");
    }

    @AfterEach
    void close() {
        application.close();
        store.close();
    }

    @Test
    void locksOnAllMastersAfterTheyHaveForgottenTheScripts() {
        for (String one : keysOfAllMasters().toList()) {
            application.locks().acquire(one).close();
        }
        cluster().servers().forEach(server -> server.commands().scriptFlush());
        for (String one : keysOfAllMasters().toList()) {
            application.locks().acquire(one).close();
        }
    }

    @Test
    @Tag(Effort.FULL)
    void acquiresWhenTheReplicaOfADeadMasterTakesOver() {
        acquireAfter(RedisServer::kill);
    }

    @Test
    void acquiresWhenTheReplicaOfAHangingMasterTakesOver() {
        acquireAfter(RedisServer::pause);
    }

    private void acquireAfter(Consumer<RedisServer> fault) {
        try (RedisStore hasty = store.with(RedisStore.hasty(Duration.ZERO));
                Application impatient = Application.over(hasty.connect())) {
            WarmUp.connect(impatient.locks(), "warm-up");
            fault.accept(cluster().masterOf(lockKey));
            LockRequest request = LockRequest.of(key).maxWait(Duration.ofSeconds(8));
            LockHandle held = RedisScenario.acquired(impatient, request);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void acquiresWhenAClusterThatWasDownIsBack() {
        String elsewhere = keyOfAnotherMaster();
        RedisServer master = cluster().masterOf(lockKey);
        RedisServer replica = cluster().replicaOf(master);
        replica.pause();
        master.kill();
        await().atMost(Patience.TIME).untilAsserted(() -> assertThatThrownBy(() -> takeAtOnce(elsewhere))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("CLUSTERDOWN"));
        CompletableFuture<LockHandle> waiting =
                application.locks().acquireAsync(LockRequest.of(elsewhere).maxWait(Patience.TIME));
        replica.resume();
        waiting.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join().close();
    }

    @Test
    void locksOnTheOtherMastersWhileOneIsDown() {
        cluster().requireFullCoverage(false);
        String elsewhere = keyOfAnotherMaster();
        cluster().masterOf(lockKey).kill();
        for (int i = 0; i < 20; i++) {
            takeAtOnce(elsewhere);
        }
    }

    @Test
    void keepsRenewsAndReleasesALockWhoseSlotMoves() {
        RedisServer source = cluster().masterOf(lockKey);
        RedisServer target = cluster().masterOf("lock:{" + keyOfAnotherMaster() + "}");
        try (ClockedEngine holder =
                new ClockedEngine(store.connect(), Application.settings(RedisScenario.LONG_LEASE))) {
            LockHandle held = holder.locks().acquire(key);
            move(source, target);
            target.commands().pexpire(lockKey, 60_000);

            holder.passUntilTheRenewal(RedisScenario.LONG_LEASE);

            holder.passUntil(() -> target.commands().pttl(lockKey) > 60_000);
            assertThat(held.isHeld()).isTrue();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            application.locks().acquire(key).close();
            String fence = KeySpace.of("lock:", true).keysOf(key).fence();
            assertThat(target.commands().exists(fence)).isEqualTo(1);
        } finally {
            move(target, source);
        }
    }

    /** While a slot moves, Redis refuses a script if one of its keys does not exist. */
    @Test
    void renewsALockBeforeAndAfterTheKeysOfItsMovingSlot() {
        RedisServer source = cluster().masterOf(lockKey);
        RedisServer target = cluster().masterOf("lock:{" + keyOfAnotherMaster() + "}");
        LockHandle held = application.locks().acquire(LockRequest.of(key).lease(Duration.ofSeconds(60)));
        try {
            beginMove(source, target);
            held.extend(LockRequest.of(key).lease(Duration.ofMinutes(2)));
            assertThat(source.commands().pttl(lockKey)).isGreaterThan(60_000);
            moveKeys(source, target);
            held.extend(LockRequest.of(key).lease(RedisScenario.LONG_LEASE));
        } finally {
            moveKeys(source, target);
            endMove(target);
        }
        assertThat(target.commands().pttl(lockKey)).isGreaterThan(120_000);
        ReleaseOutcome outcome = held.release();
        move(target, source);
        assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** A script with keys on both sides of a move is refused; the lease outlives the move. */
    @Test
    void renewsALockAgainOnceItsMarkerHasMovedToo() {
        RedisServer source = cluster().masterOf(lockKey);
        RedisServer target = cluster().masterOf("lock:{" + keyOfAnotherMaster() + "}");
        LockHandle held = application.locks().acquire(LockRequest.of(key).lease(Duration.ofSeconds(60)));
        LockRequest longer = LockRequest.of(key).lease(RedisScenario.LONG_LEASE);
        try {
            beginMove(source, target);
            moveKey(lockKey, source, target);
            assertThatThrownBy(() -> held.extend(longer))
                    .isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("TRYAGAIN");
        } finally {
            moveKeys(source, target);
            endMove(target);
        }
        held.extend(longer);
        assertThat(target.commands().pttl(lockKey)).isGreaterThan(60_000);
        ReleaseOutcome outcome = held.release();
        move(target, source);
        assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void keepsWaitingForAPermitWhileTheSlotMoves() throws Exception {
        RedisServer source = cluster().masterOf(lockKey);
        RedisServer target = cluster().masterOf("lock:{" + keyOfAnotherMaster() + "}");
        LockRequest permit = LockRequest.of(key).permits(2).ownedByHandle();
        LockHandle first = application.locks().acquire(permit);
        beginMove(source, target);
        try {
            assertThatThrownBy(() -> application.locks().tryAcquire(permit.withoutWaiting()))
                    .isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("TRYAGAIN");
            CompletableFuture<LockHandle> waiting = application.locks().acquireAsync(permit.maxWait(Patience.TIME));
            await().during(Duration.ofMillis(Patience.MOMENT_MILLIS)).until(() -> !waiting.isDone());
            moveKeys(source, target);
            endMove(target);
            LockHandle second = waiting.get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(second.slot()).isEqualTo(1);
            assertThat(first.isHeld()).isTrue();
            assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        } finally {
            moveKeys(source, target);
            endMove(target);
            move(target, source);
        }
    }

    @Test
    void keepsWaitingWhileTheSlotMoves() {
        RedisServer source = cluster().masterOf(lockKey);
        RedisServer target = cluster().masterOf("lock:{" + keyOfAnotherMaster() + "}");
        beginMove(source, target);
        assertThatThrownBy(
                        () -> application.locks().tryAcquire(LockRequest.of(key).maxWait(Duration.ZERO)))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("TRYAGAIN");
        CompletableFuture<LockHandle> waiting =
                application.locks().acquireAsync(LockRequest.of(key).maxWait(Patience.TIME));
        endMove(target);
        waiting.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join().close();
        move(target, source);
    }

    @Test
    void skipsADeadInstanceWithinOneRetryDelay() {
        RedisServer master = cluster().masterOf(lockKey);
        LockHandle held = application.locks().acquire(key);
        master.commands().zadd(lockKey + ":waiters", 1, "0".repeat(32));
        Application waiter = Application.over(store.connect());
        CompletableFuture<LockHandle> waiting =
                waiter.locks().acquireAsync(LockRequest.of(key).maxWait(Patience.TIME));
        await().untilAsserted(() ->
                assertThat(master.commands().zcard(lockKey + ":waiters")).isEqualTo(2));
        held.close();
        // A look every 200 ms; the rest is for a busy machine.
        waiting.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join().close();
        waiter.close();
    }

    @Test
    void signalsAWaiterConnectedToAnotherNode() {
        try (Application holder = Application.over(store.connect());
                Application waiter = Application.over(store.connect(), Application.settingsThatTrustSignals())) {
            for (String one : keysOfAllMasters().toList()) {
                WarmUp.connect(waiter.locks(), one);
                LockHandle held = holder.locks().acquire(one);
                CompletableFuture<LockHandle> waiting =
                        waiter.locks().acquireAsync(LockRequest.of(one).maxWait(Patience.TIME));
                RedisServer master = cluster().masterOf("lock:{" + one + "}");
                await().atMost(Patience.TIME)
                        .untilAsserted(() -> assertThat(master.commands().zcard("lock:{" + one + "}:waiters"))
                                .isEqualTo(1));
                held.close();
                waiting.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join().close();
            }
        }
    }

    private void takeAtOnce(String any) {
        assertThat(application.locks().tryAcquire(LockRequest.of(any).maxWait(Duration.ZERO)))
                .hasValueSatisfying(LockHandle::close);
    }

    private static RedisCluster cluster() {
        return REDIS.topology();
    }

    /** Three keys, no two of them on the same master. */
    private static Stream<String> keysOfAllMasters() {
        Map<Integer, String> keys = new TreeMap<>();
        for (int i = 0; keys.size() < 3; i++) {
            keys.putIfAbsent(cluster().masterOf("lock:{shard:" + i + "}").port(), "shard:" + i);
        }
        return keys.values().stream();
    }

    private String keyOfAnotherMaster() {
        RedisServer home = cluster().masterOf(lockKey);
        return keysOfAllMasters()
                .filter(candidate -> cluster().masterOf("lock:{" + candidate + "}") != home)
                .findFirst()
                .orElseThrow();
    }

    private void beginMove(RedisServer from, RedisServer to) {
        int slot = SlotHash.getSlot(key);
        to.commands().clusterSetSlotImporting(slot, cluster().idOf(from));
        from.commands().clusterSetSlotMigrating(slot, cluster().idOf(to));
    }

    private void endMove(RedisServer to) {
        for (RedisServer server : cluster().servers()) {
            if ("master".equals(server.info("replication").get("role"))) {
                server.commands()
                        .clusterSetSlotNode(SlotHash.getSlot(key), cluster().idOf(to));
            }
        }
    }

    private void move(RedisServer from, RedisServer to) {
        beginMove(from, to);
        moveKeys(from, to);
        endMove(to);
    }

    private void moveKeys(RedisServer from, RedisServer to) {
        for (String one : from.commands().clusterGetKeysInSlot(SlotHash.getSlot(key), 10)) {
            moveKey(one, from, to);
        }
    }

    private static void moveKey(String one, RedisServer from, RedisServer to) {
        from.commands()
                .migrate(
                        to.host(),
                        to.port(),
                        0,
                        20_000,
                        MigrateArgs.Builder.<String>key(one).auth2("fixture", "any"));
    }
}
