package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.SpiClient;
import io.github.lockstarter.contract.SpiHold;
import io.github.lockstarter.redis.contract.QuorumStore;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.testing.RedisExtension;
import io.github.lockstarter.redis.testing.RedisQuorum;
import io.github.lockstarter.redis.testing.RedisServer;
import io.github.lockstarter.redis.testing.TopologyExtension;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A lock that is held for longer than its fencing token is remembered after a grant. The holder's renewals say that
 * half a day more has passed, and the expiry of the fencing token is shortened at the server to match.
 */
class LongHoldIT {

    private static final String KEY = "leader";
    private static final String FENCE = "lock:{leader}:fence";
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration HALF_A_DAY = Duration.ofHours(12);
    private static final long LEFT_OF_EXPIRY_MILLIS = 2_000;

    @Nested
    class OnOneServer {

        @RegisterExtension
        static final RedisExtension REDIS = new RedisExtension();

        @Test
        void isTakenAwayFromAnotherInstance() {
            try (RedisStore store = store(RedisStore.guarding(Duration.ZERO))) {
                assertIsTakenAwayFromAnotherInstance(store, List.of(REDIS.server()));
            }
        }

        @Test
        void isTakenAwayFromAnotherInstanceWithoutTheGuard() {
            try (RedisStore store = store(RedisStore.unguarded())) {
                assertIsTakenAwayFromAnotherInstance(store, List.of(REDIS.server()));
            }
        }

        @Test
        void isReleasedAlsoByAReleaseThatIsExecutedTwice() {
            try (RedisStore store = store(RedisStore.guarding(Duration.ZERO))) {
                SpiClient client = new SpiClient(store.connect());
                SpiHold hold = client.hold(KEY, LEASE);
                REDIS.server().commands().pexpire(FENCE, LEFT_OF_EXPIRY_MILLIS);
                RenewCommand renewal = new RenewCommand(KEY, hold.token(), LEASE, hold.fencingToken(), HALF_A_DAY);
                assertThat(client.backend().renew(List.of(renewal)).get(0).toCompletableFuture())
                        .succeedsWithin(SpiClient.PATIENCE)
                        .isInstanceOf(RenewResult.Renewed.class);
                assertThat(REDIS.server().commands().pttl(FENCE)).isGreaterThan(HALF_A_DAY.toMillis());

                for (int i = 0; i < 2; i++) {
                    assertThat(client.release(KEY, hold.token(), hold.fencingToken()))
                            .isEqualTo(new ReleaseResult.Released(0));
                }
            }
        }

        private static RedisStore store(RedisSettings settings) {
            return new RedisStore(REDIS.server().uri()).with(settings);
        }
    }

    @Nested
    class OnAQuorum {

        @RegisterExtension
        static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

        @Test
        void isTakenAwayFromAnotherInstance() {
            try (QuorumStore store = QuorumStore.of(REDIS.topology())) {
                assertIsTakenAwayFromAnotherInstance(store, REDIS.topology().servers());
            }
        }
    }

    private static void assertIsTakenAwayFromAnotherInstance(LockStore store, List<RedisServer> servers) {
        try (Application holder = Application.over(store.connect(), Application.settings(LEASE));
                Application operator = Application.over(store.connect());
                LockHandle lock = holder.locks().acquire(KEY)) {
            long granted = fencingToken(operator);
            holder.backend().age(HALF_A_DAY);
            servers.forEach(server -> server.commands().pexpire(FENCE, LEFT_OF_EXPIRY_MILLIS));
            long shortened = System.nanoTime();
            await().until(() -> System.nanoTime() - shortened > LEFT_OF_EXPIRY_MILLIS * 1_100_000);

            assertThat(fencingToken(operator)).isEqualTo(granted);
            assertThat(lock.isHeld()).isTrue();
            assertThat(operator.admin().revoke(KEY, granted).join()).isEqualTo(new Revocation.Revoked());
            await().untilAsserted(() -> assertThat(lock.isHeld()).isFalse());
        } catch (LockLostException e) {
            // Closing a handle says so too.
        }
    }

    private static long fencingToken(Application operator) {
        StoredLock seen = operator.admin().inspect(KEY).join();
        assertThat(seen).isInstanceOf(StoredLock.Held.class);
        return ((StoredLock.Held) seen).fencingToken();
    }
}
