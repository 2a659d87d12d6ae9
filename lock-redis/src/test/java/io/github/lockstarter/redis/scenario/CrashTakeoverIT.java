package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks of an instance that has crashed, is paused, or is cut off, under a lease that outlives the test. */
class CrashTakeoverIT extends RedisScenario {

    private static final Duration TAKEOVER =
            EngineSettings.DEFAULTS.terms().crashTakeover().orElseThrow();
    private static final int MANY = Effort.of(100, 10_000);

    private final LockRequest patient = request.maxWait(Patience.TIME);

    @Test
    void takesOverTheLockOfAKilledProcess() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm holder = holding(TAKEOVER)) {
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();

            holder.kill();

            LockHandle taken = resultOf(next);
            assertThat(heir.events().of(LockEvent.Acquired.class)).last().satisfies(event -> {
                assertThat(event.path()).isEqualTo(Path.TAKEN_OVER);
                assertThat(event.takenOverFrom()).isPresent();
            });
            assertThat(taken.fencingToken())
                    .isGreaterThan(HoldingJvm.fencingToken(holder, 0).orElseThrow());
            taken.close();
        }
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void doesNotTakeOverTheLockOfAPausedProcess() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm holder = holding(TAKEOVER)) {
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();
            String stored = redis().get(lockKey);

            holder.pause();
            letPass(TAKEOVER.multipliedBy(4));
            assertThat(next).isNotDone();
            assertThat(redis().get(lockKey)).isEqualTo(stored);
            holder.resume();

            letPass(TAKEOVER);
            assertThat(redis().get(lockKey)).isEqualTo(stored);
            holder.kill();
            resultOf(next).close();
        }
    }

    @Test
    @Tag(Effort.FULL)
    void leavesTheLockOfAnInstanceWithoutTakeoverToItsLease() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm holder = holding(Duration.ZERO)) {
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();

            holder.kill();
            letPass(TAKEOVER.multipliedBy(4));

            assertThat(next).isNotDone();
            redis().pexpire(lockKey, 1);
            assertThat(resultOf(next).fencingToken())
                    .isGreaterThan(HoldingJvm.fencingToken(holder, 0).orElseThrow());
            resultOf(next).close();
        }
    }

    /** It connects again within the time until a takeover. */
    @Test
    @Tag(Effort.TIMING)
    void keepsALockWhoseConnectionsAreCutRepeatedly() throws Exception {
        TcpProxy proxy = newProxy();
        Application holder = takingPart(newApplicationBehind(proxy));
        Application rival = takingPart(newApplication());
        try (LockHandle held = holder.locks().acquire(request)) {
            Future<LockHandle> next = elsewhere(() -> rival.locks().acquire(patient));
            awaitWaiting();
            for (int i = 0; i < 20; i++) {
                proxy.cut();
                letPass(ofMillis(200));
            }

            await().ignoreExceptionsInstanceOf(LockBackendException.class).untilAsserted(held::ensureHeld);
            await().untilAsserted(() -> assertThat(held.isHeld()).isTrue());
            assertThat(next).isNotDone();
            assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
            held.release();
            resultOf(next).close();
        }
    }

    /** Some lock of the instance was taken over, so each of them is renewed once before it is certain again. */
    @Test
    void confirmsAllOfManyHoldsAfterABreakAndATakeover() {
        Application holder = takingPart(newApplication());
        List<LockHandle> held = new ArrayList<>(MANY);
        for (int i = 0; i < MANY; i++) {
            held.add(holder.locks().acquire(LockRequest.of(key + ':' + i)));
        }
        await().until(() -> held.stream().allMatch(LockHandle::isHeld));

        String mailbox = redis().pubsubChannels("lock:mailbox:" + holder.admin().instance() + "*")
                .get(0);
        long before = holder.backend().count(Verb.RENEW);
        redis().hset("lock:history:takeovers", mailbox.replace("lock:mailbox", "taken"), "17 9000000000000000+");
        redis().clientKill(KillArgs.Builder.typePubsub());
        redis().clientKill(KillArgs.Builder.typeNormal());

        await().until(() -> holder.backend().count(Verb.RENEW) >= before + MANY);
        await().until(() -> held.stream().allMatch(LockHandle::isHeld));
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
    }

    /** One attempt for each key in some seconds. */
    @Test
    @Tag(Effort.TIMING)
    void manyAwaitedKeysCostRedisLittle() {
        Application holder = takingPart(newApplication(EngineSettings.DEFAULTS));
        Application rival = takingPart(newApplication(EngineSettings.DEFAULTS));
        for (int i = 0; i < 2_000; i++) {
            LockRequest wanted = LockRequest.of(key + ':' + i).maxWait(Duration.ofMinutes(2));
            holder.locks().acquire(wanted);
            rival.locks().acquireAsync(wanted);
        }
        letPass(ofSeconds(10)); // until the waiters look as seldom as they do
        redis().configResetstat();
        letPass(ofSeconds(10));

        assertThat(scriptCalls()).isLessThan(10 * 2_000 / 4);
    }

    @Test
    void aDisconnectedHolderIsInDoubtAndThenLosesTheLock() throws Exception {
        TcpProxy proxy = newProxy();
        Application holder = takingPart(newApplicationBehind(proxy));
        Application heir = takingPart(newApplication());
        LockHandle held = holder.locks().acquire(request);
        Future<Long> grantedAt = elsewhere(() -> {
            try (LockHandle next = heir.locks().acquire(patient)) {
                long now = System.nanoTime();
                letPass(TAKEOVER);
                next.ensureHeld();
                return now;
            }
        });
        awaitWaiting();

        proxy.refuse();
        proxy.cut();
        long lastHeld = lastTimeHeldUntil(grantedAt, held);

        assertThat(resultOf(grantedAt)).isGreaterThan(lastHeld);
        assertThat(holder.events().of(LockEvent.InDoubt.class)).isNotEmpty();
        proxy.accept();
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("another instance took the lock over");
        await().untilAsserted(() -> assertThat(holder.events().of(LockEvent.Lost.class))
                .singleElement()
                .extracting(LockEvent.Lost::cause)
                .isEqualTo(LossCause.TAKEN_OVER));
    }

    @Test
    void aHolderIsInDoubtWhileRedisIsStoppedAndHoldsTheLockAfterwards() {
        Application holder = takingPart(newHastyApplication());
        LockHandle held = acquired(holder, request);
        LockHandle unrenewed =
                acquired(holder, LockRequest.of(key + ":unrenewed").withoutRenewal());

        server().pause();
        await().until(() -> !held.isHeld() && !unrenewed.isHeld());
        assertThat(holder.admin().heldLocks().snapshot())
                .extracting(HeldLock::state)
                .containsOnly(HoldState.IN_DOUBT);
        await().untilAsserted(() -> assertThat(holder.events().of(LockEvent.InDoubt.class))
                .extracting(LockEvent.InDoubt::key)
                .contains(key, key + ":unrenewed"));
        assertThatThrownBy(held::ensureHeld)
                .as("the server has not answered for a command timeout")
                .isInstanceOf(LockBackendException.class);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        server().resume();

        await().ignoreExceptionsInstanceOf(LockBackendException.class).untilAsserted(() -> {
            held.ensureHeld();
            unrenewed.ensureHeld();
        });
        await().untilAsserted(() -> assertThat(holder.events().of(LockEvent.Confirmed.class))
                .hasSameSizeAs(holder.events().of(LockEvent.InDoubt.class)));
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
    }

    private ChildJvm holding(Duration takeover) {
        ChildJvm holder = HoldingJvm.start(server(), key, LONG_LEASE, takeover);
        holder.awaitLine("held"::equals, Patience.TIME);
        return holder;
    }

    @Nested
    class MasterAndReplicas {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> SERVERS = TopologyExtension.replication();

        @Test
        void takesTheLockOver() throws Exception {
            assertTakenOverAfterACrash(RedisStore.of(SERVERS.topology()));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Sentinel {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> SERVERS = TopologyExtension.sentinels();

        @Test
        void takesTheLockOver() throws Exception {
            assertTakenOverAfterACrash(RedisStore.of(SERVERS.topology()));
        }
    }

    /** The instance continues, so only its connections end; the store cannot tell the difference. */
    private void assertTakenOverAfterACrash(RedisStore servers) throws Exception {
        try (RedisStore store = servers.with(RedisStore.SETTINGS)) {
            RedisLockBackend crashing = (RedisLockBackend) store.connect();
            try (Application holder = Application.over(crashing, Application.settings(LONG_LEASE));
                    Application heir = Application.over(store.connect(), Application.settings(LONG_LEASE))) {
                WarmUp.connect(holder.locks(), key);
                WarmUp.connect(heir.locks(), key);
                holder.awaitTakeover();
                holder.locks().acquire(request);
                CompletableFuture<LockHandle> next = heir.locks().acquireAsync(patient);

                crashing.stop();

                next.get(Patience.SECONDS, TimeUnit.SECONDS).close();
                assertThat(heir.events().of(LockEvent.Acquired.class))
                        .last()
                        .extracting(LockEvent.Acquired::path)
                        .isEqualTo(Path.TAKEN_OVER);
            }
        }
    }

    @Test
    void leavesTheLocksToTheirLeasesOnAClusterAndWithoutAGracePeriod() {
        RedisURI uri = server().uri();
        try (RedisStore store = new RedisStore(uri).with(RedisStore.WITHOUT_GRACE);
                RedisLockBackend onCluster = new RedisLockBackend(
                        DirectRedisConnector.toCluster(List.of(uri), RedisStore.SETTINGS), RedisStore.SETTINGS)) {
            assertThat(store.connect().crashDetection()).isEmpty();
            assertThat(onCluster.crashDetection()).isEmpty();
        }
    }
}
