package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** States of a hold that may be taken over, during a failover that outlasts the takeover time. */
@Timeout(300)
class FailoverDoubtIT {

    private static final String SEEDS = "io.github.lockstarter.redis.scenario.RedisScenario#seeds";
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration COMMAND_TIMEOUT = RedisStore.HASTY.commandTimeout();
    private static final Duration TAKEOVER = Duration.ofSeconds(1);

    /** The age is known in seconds. */
    private static final Duration OLD_AGE = Duration.ofSeconds(2);

    private final String key = "failover:" + UUID.randomUUID();
    private final LockRequest request = LockRequest.of(key).lease(LEASE).maxWait(Patience.TIME);

    @Nested
    class MasterAndReplicas {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> SERVERS = TopologyExtension.replication();

        @ParameterizedTest
        @MethodSource(SEEDS)
        void keepsTheLockAndIsCertainOfItAgain(long seed) {
            int refused = keepsTheLock(RedisStore.of(SERVERS.topology()), replicas(), () -> {
                RedisServer master = SERVERS.topology().master();
                List<RedisServer> replicas = replicas();
                master.kill();
                RedisScenario.letPass(TAKEOVER.plus(COMMAND_TIMEOUT).plusMillis(300 + new Random(seed).nextInt(1_500)));
                replicas.get(0).commands().replicaofNoOne();
            });
            assertThat(refused).as("checks during the failover").isPositive();
        }

        /** Perhaps it was this lock, at the old master, and it was released there. */
        @Test
        void staysInDoubtIfALockOfTheInstanceWasTakenOverBefore() {
            try (RedisStore store = guarding(RedisStore.of(SERVERS.topology()));
                    Application holder = takingPart(store)) {
                LockHandle held = RedisScenario.acquired(holder, request);
                RedisServer master = SERVERS.topology().master();
                List<RedisServer> replicas = replicas();
                String trace = "taken:" + instanceOf(master);
                cutOff(replicas);
                replicas.get(0).commands().replicaofNoOne();
                replicas.get(0).commands().hset("lock:history:takeovers", trace, "1700000000000000 9000000000000000+");
                master.kill();

                await().atMost(Patience.TIME).until(() -> held.state() == HoldState.IN_DOUBT);
                RedisScenario.letPass(TAKEOVER.multipliedBy(2));
                assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
                assertThatThrownBy(held::ensureHeld).isInstanceOf(LockLostException.class);
            }
        }

        @Test
        @Tag(Effort.FULL)
        void doesNotTakeOverWhileAReplicaDoesNotAnswer() throws Exception {
            RedisServer away = replicas().get(0);
            away.pause();
            takesNothingOverUntil(away::resume);
        }

        /** The master has lost it, so all replicas that it knows acknowledge. */
        @Test
        @Tag(Effort.FULL)
        void doesNotTakeOverWhileAReplicaIsDown() throws Exception {
            RedisServer away = replicas().get(0);
            away.kill();
            takesNothingOverUntil(away::restart);
        }

        private void takesNothingOverUntil(Runnable replicaIsBack) throws Exception {
            try (RedisStore store = guarding(RedisStore.of(SERVERS.topology()));
                    Application heir = takingPart(store)) {
                RedisLockBackend crashing = (RedisLockBackend) store.connect();
                try (Application holder = Application.over(crashing, Application.settings(LEASE))) {
                    WarmUp.connect(holder.locks(), "warm-up:" + key);
                    holder.awaitTakeover();
                    RedisScenario.acquired(holder, request);
                    CompletableFuture<LockHandle> next = heir.locks().acquireAsync(request);
                    crashing.stop();
                    RedisScenario.letPass(TAKEOVER.multipliedBy(4));
                    assertThat(next).isNotDone();
                    await().untilAsserted(
                                    () -> assertThat(takeover(heir).reason()).contains("waits for a replica"));

                    replicaIsBack.run();
                    next.get(Patience.SECONDS, TimeUnit.SECONDS).close();
                    assertThat(heir.events().of(LockEvent.Acquired.class))
                            .last()
                            .extracting(LockEvent.Acquired::path)
                            .isEqualTo(LockEvent.Path.TAKEN_OVER);
                    assertThat(takeover(heir).state()).isEqualTo(CrashTakeover.State.ON);
                }
            }
        }

        private CrashTakeover takeover(Application application) throws Exception {
            return application
                    .admin()
                    .storeState()
                    .get(Patience.SECONDS, TimeUnit.SECONDS)
                    .crashTakeover();
        }

        private List<RedisServer> replicas() {
            return SERVERS.topology().replicas();
        }

        private String instanceOf(RedisServer master) {
            String stored = master.commands().get("lock:{" + key + "}");
            return stored.substring(stored.indexOf(' ') + 1, stored.indexOf(':'));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Sentinel {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> SERVERS = TopologyExtension.sentinels();

        @ParameterizedTest
        @MethodSource(SEEDS)
        void keepsTheLockAndIsCertainOfItAgain(long seed) {
            RedisSentinels servers = SERVERS.topology();
            RedisServer master = servers.master();
            List<RedisServer> replicas =
                    servers.servers().stream().filter(each -> each != master).toList();
            keepsTheLock(RedisStore.of(servers), replicas, () -> {
                RedisScenario.letPass(Duration.ofMillis(new Random(seed).nextInt(500)));
                master.kill();
                servers.awaitPromotion(master);
            });
        }
    }

    /**
     * Checks the hold repeatedly, as before a commit. Returns how often it was not certain: possibly never, if the
     * failover is over before the holder is in doubt.
     */
    private int keepsTheLock(RedisStore servers, List<RedisServer> replicas, Runnable failOver) {
        try (RedisStore store = guarding(servers);
                Application holder = takingPart(store);
                Application rival = takingPart(store)) {
            awaitCopies(replicas);
            awaitOldAge(replicas);
            cutOff(replicas);
            LockHandle held = RedisScenario.acquired(holder, request);
            AtomicBoolean ended = new AtomicBoolean();
            CompletableFuture<Boolean> granted = onNewThread(() -> isGranted(rival, ended));
            Commits commits = new Commits(held);
            CompletableFuture<Boolean> failingOver = onNewThread(() -> {
                failOver.run();
                return true;
            });
            while (!failingOver.isDone()) {
                commits.tryOne();
                RedisScenario.pauseBetweenLooks();
            }
            failingOver.join();
            long promoted = System.nanoTime();
            await().atMost(Patience.TIME).pollInterval(Duration.ofMillis(10)).until(commits::tryOne);
            Duration again = Duration.ofNanos(System.nanoTime() - promoted);
            RedisScenario.letPass(TAKEOVER);
            await().until(commits::tryOne);

            System.out.printf(
                    "Certain again %d ms after the promotion; %d of %d checks refused, the longest took %d ms%n",
                    again.toMillis(), commits.refused, commits.tried, commits.longest.toMillis());
            assertThat(commits.longest).isLessThan(COMMAND_TIMEOUT.plus(Patience.TIME));
            ended.set(true);
            assertThat(granted.join()).as("another owner").isFalse();
            assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
            held.close();
            return commits.refused;
        }
    }

    private static CompletableFuture<Boolean> onNewThread(Supplier<Boolean> task) {
        return CompletableFuture.supplyAsync(task, each -> new Thread(each).start());
    }

    /** Waits for the lock repeatedly: an attempt during the failover has no answer. */
    private boolean isGranted(Application rival, AtomicBoolean ended) {
        while (!ended.get()) {
            try {
                rival.locks().acquire(request.maxWait(TAKEOVER)).close();
                return true;
            } catch (LockException e) {
                // busy, or an outage
            }
        }
        return false;
    }

    /** Checks as before a commit. */
    private static final class Commits {

        private final LockHandle held;
        private int tried;
        private int refused;
        private Duration longest = Duration.ZERO;

        Commits(LockHandle held) {
            this.held = held;
        }

        /** Whether the check passed. */
        boolean tryOne() {
            long began = System.nanoTime();
            boolean passed = true;
            try {
                held.ensureHeld();
            } catch (LockBackendException e) {
                passed = false;
            }
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            longest = took.compareTo(longest) > 0 ? took : longest;
            tried++;
            refused += passed ? 0 : 1;
            return passed;
        }
    }

    private static RedisStore guarding(RedisStore servers) {
        return servers.with(RedisStore.hasty(LEASE));
    }

    private Application takingPart(RedisStore store) {
        Application application = Application.over(store.connect(), Application.settings(LEASE));
        // Servers that an earlier test has promoted grant nothing for the longest lease.
        await().atMost(LEASE.plus(Patience.TIME))
                .ignoreExceptionsInstanceOf(LockException.class)
                .untilAsserted(
                        () -> application.locks().acquire("warm-up:" + key).close());
        application.awaitTakeover();
        return application;
    }

    /**
     * All replicas know the history: a replica that reports to be in sync may receive the next writes a second later.
     */
    private static void awaitCopies(List<RedisServer> replicas) {
        await().atMost(Patience.TIME).until(() -> replicas.stream()
                .allMatch(replica -> replica.commands().exists("lock:history") == 1));
    }

    /** A process that was restarted since before the failover may have lost acknowledged data. */
    private static void awaitOldAge(List<RedisServer> replicas) {
        await().atMost(Patience.TIME).until(() -> replicas.stream()
                .allMatch(replica ->
                        Integer.parseInt(replica.info("server").get("uptime_in_seconds")) >= OLD_AGE.toSeconds()));
    }

    /** The links are cut, and the replicas not stopped: their sentinels must find them fit. */
    private static void cutOff(List<RedisServer> replicas) {
        replicas.forEach(replica -> replica.commands().replicaof("127.0.0.1", 1));
    }
}
