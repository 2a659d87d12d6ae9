package io.github.lockstarter.contract;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.redis.RedisSettings;
import io.github.lockstarter.testing.RedisSentinels;
import io.github.lockstarter.testing.RedisServer;
import io.github.lockstarter.testing.TopologyExtension;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sentinels promote a replica that never heard of a lock: its holder keeps it, and nobody else gets it. */
@Timeout(120)
class SentinelHistoryIT {

    @RegisterExtension
    static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

    private static final Duration LEASE = ofSeconds(6);
    private static final Duration PATIENCE = ofSeconds(30);

    private final Random random = RedisScenario.seeded("SentinelHistoryIT");
    private final LockRequest request =
            LockRequest.of("history:" + UUID.randomUUID()).leasedFor(LEASE).waitingUpTo(ofMillis(500));

    @RepeatedTest(3)
    void keepsTheLockOnAReplicaThatLagged() {
        try (RedisStore store = RedisStore.of(REDIS.topology()).with(RedisStore.guarding(LEASE));
                Application first = Application.over(store.connect());
                Application second = Application.over(store.connect())) {
            LockHandle held = acquireBehindTheReplicas(first, second);
            failOver();

            long end = System.nanoTime() + LEASE.multipliedBy(2).toNanos();
            while (System.nanoTime() - end < 0) {
                assertThat(isGranted(second)).isFalse();
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(acquireAgain(second, request)).isGreaterThan(held.fencingToken());
        }
    }

    @RepeatedTest(2)
    @SuppressWarnings("try") // closed before its end, as an application that is stopped
    void grantsAgainSoonAfterTheGrace() {
        try (RedisStore store = RedisStore.of(REDIS.topology()).with(RedisStore.guarding(LEASE));
                Application first = Application.over(store.connect());
                Application second = Application.over(store.connect())) {
            LockHandle held = acquireBehindTheReplicas(first, second);
            long endsAt = System.nanoTime() + held.remainingLease().toNanos();
            first.close(); // its release never reaches a replica either

            long promoted = failOver();
            assertThat(acquireAgain(second, request)).isGreaterThan(held.fencingToken());

            assertThat(System.nanoTime() - endsAt).isPositive();
            assertThat(Duration.ofNanos(System.nanoTime() - promoted)).isLessThan(LEASE.plusSeconds(5));
        }
    }

    /** The control. */
    @RepeatedTest(2)
    void grantsTwiceWithoutTheGuard() {
        RedisSettings unguarded = RedisStore.unguarded();
        try (RedisStore store = RedisStore.of(REDIS.topology()).with(unguarded);
                Application first = Application.over(store.connect());
                Application second = Application.over(store.connect())) {
            LockHandle held = acquireBehindTheReplicas(first, second);
            long endsAt = System.nanoTime() + held.remainingLease().toNanos();
            failOver();
            acquireAgain(second, request);
            assertThat(System.nanoTime() - endsAt).isNegative();
        }
    }

    private LockHandle acquireBehindTheReplicas(Application first, Application second) {
        LockRequest any = LockRequest.of("warm-up:" + UUID.randomUUID()).waitingUpTo(ofMillis(500));
        acquireAgain(first, any);
        acquireAgain(second, any);
        RedisServer master = REDIS.topology().master();
        // The link is cut, not the replica stopped: its sentinels must find it fit.
        REDIS.topology().servers().stream().filter(server -> server != master).forEach(server -> server.commands()
                .replicaof("127.0.0.1", 1));
        return first.locks().acquire(request);
    }

    /** Returns when it was done. */
    private long failOver() {
        RedisScenario.letPass(ofMillis(random.nextInt(300)));
        RedisServer master = REDIS.topology().master();
        master.kill();
        REDIS.topology().awaitPromotion(master);
        return System.nanoTime();
    }

    private boolean isGranted(Application application) {
        try {
            return application.locks().tryAcquire(request).isPresent();
        } catch (LockBackendException e) {
            return false;
        }
    }

    private static long acquireAgain(Application application, LockRequest request) {
        long[] fencingToken = new long[1];
        await().atMost(PATIENCE).pollInterval(ofMillis(20)).ignoreExceptions().untilAsserted(() -> {
            try (LockHandle lock = application.locks().acquire(request)) {
                fencingToken[0] = lock.fencingToken();
            }
        });
        return fencingToken[0];
    }
}
