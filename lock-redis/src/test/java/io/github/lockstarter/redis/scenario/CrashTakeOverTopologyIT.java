package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which topologies give the lock of an instance whose connections have ended to the next one before the lease ends. */
@Timeout(60)
class CrashTakeOverTopologyIT {

    private static final Duration LEASE = Duration.ofMinutes(2);

    private final LockRequest request =
            LockRequest.of("crash:" + UUID.randomUUID()).waitingUpTo(Patience.TIME);

    @Nested
    class MasterAndReplicas {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> SERVERS = TopologyExtension.replication();

        @Test
        void takesTheLockOver() throws Exception {
            assertThat(pathAfterCrash(RedisStore.of(SERVERS.topology()).with(RedisStore.SETTINGS)))
                    .isEqualTo(Path.TAKEN_OVER);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Sentinel {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> SERVERS = TopologyExtension.sentinels();

        @Test
        void takesTheLockOver() throws Exception {
            assertThat(pathAfterCrash(RedisStore.of(SERVERS.topology()).with(RedisStore.SETTINGS)))
                    .isEqualTo(Path.TAKEN_OVER);
        }
    }

    @Nested
    class WithoutGrace {

        @RegisterExtension
        static final RedisExtension SERVER = new RedisExtension();

        @Test
        void leavesTheLockToItsLease() {
            try (RedisStore store = new RedisStore(SERVER.server().uri()).with(RedisStore.WITHOUT_GRACE)) {
                assertThat(store.connect().crashDetection()).isEmpty();
            }
        }
    }

    @Nested
    class Cluster {

        @RegisterExtension
        static final TopologyExtension<RedisCluster> SERVERS = TopologyExtension.cluster();

        @Test
        void leavesTheLockToItsLease() {
            try (RedisStore store = RedisStore.of(SERVERS.topology())) {
                assertThat(store.connect().crashDetection()).isEmpty();
            }
        }
    }

    /** The instance continues, so only its connections end; the store cannot tell the difference. */
    private Path pathAfterCrash(RedisStore store) throws Exception {
        RedisLockBackend crashing = (RedisLockBackend) store.connect();
        try (store;
                Application holder = Application.over(crashing, Application.settings(LEASE));
                Application heir = Application.over(store.connect(), Application.settings(LEASE))) {
            WarmUp.connect(holder.locks(), request.name());
            WarmUp.connect(heir.locks(), request.name());
            holder.awaitTakeOver();
            holder.locks().acquire(request);
            CompletableFuture<LockHandle> next = heir.locks().acquireAsync(request);

            crashing.stop();

            next.get(Patience.SECONDS, TimeUnit.SECONDS).close();
            return heir.events().of(LockEvent.Acquired.class).stream()
                    .reduce((first, second) -> second)
                    .orElseThrow()
                    .path();
        }
    }
}
