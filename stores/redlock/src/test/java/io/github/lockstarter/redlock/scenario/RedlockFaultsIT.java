package io.github.lockstarter.redlock.scenario;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.scenario.ClockedEngine;
import io.github.lockstarter.redis.scenario.RedisScenario;
import io.github.lockstarter.redlock.contract.QuorumStore;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A quorum of five servers, of which some are down. */
@Timeout(300)
class RedlockFaultsIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static final int NODES = 5;
    private static final Duration LEASE = QuorumStore.NODE_TIMEOUT.multipliedBy(4);

    private final String key = "scenario:" + UUID.randomUUID();
    private final LockRequest request = LockRequest.of(key).lease(LEASE).maxWait(Patience.TIME);

    private static List<RedisServer> servers() {
        return REDIS.topology().servers();
    }

    private static QuorumStore store(Duration grace) {
        return QuorumStore.of(servers().stream().map(RedisServer::uri).toList(), grace);
    }

    /** A server does not vote right after its restart, so each pair fails after the previous pair votes again. */
    @Test
    @Tag(Effort.FULL)
    void locksWithAnyTwoServersDown() {
        try (QuorumStore store = store(LEASE);
                Application first = Application.over(store.connect());
                Application second = Application.over(store.connect())) {
            locks(first, second);
            IntStream.range(0, NODES).forEach(a -> IntStream.range(a + 1, NODES).forEach(b -> {
                servers().get(a).kill();
                servers().get(b).kill();
                locks(first, second);
                servers().get(a).restart();
                servers().get(b).restart();
            }));
        }
    }

    private void locks(Application first, Application second) {
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> {
                    try (LockHandle lock = first.locks().acquire(request)) {
                        Optional<LockHandle> other = second.locks().tryAcquire(request.withoutWaiting());
                        other.ifPresent(LockHandle::release);
                        assertThat(other.isPresent() && lock.isHeld())
                                .as("second hold")
                                .isFalse();
                    }
                });
    }

    @Test
    void reportsAnUnknownOutcomeWithThreeServersDown() {
        try (QuorumStore store = store(Duration.ZERO);
                Application application = Application.over(store.connect())) {
            WarmUp.connect(application.locks(), "warm-up");
            servers().subList(0, 3).forEach(RedisServer::kill);

            // Fewer, where the machine is too busy for an answer in time.
            await().untilAsserted(() -> assertThatExceptionOfType(LockBackendException.class)
                    .isThrownBy(() -> application.locks().acquire(request))
                    .withMessageContaining("Only 2 of 5 nodes answered"));
        }
    }

    @Test
    void freesTheVotesOfAMinorityAtOnce() {
        String lockKey = "lock:{" + key + "}";
        servers().subList(0, 3).forEach(server -> server.commands().psetex(lockKey, 60_000, "somebody"));
        try (QuorumStore store = QuorumStore.of(REDIS.topology());
                Application application = Application.over(store.connect())) {
            assertThat(application
                            .locks()
                            .tryAcquire(LockRequest.of(key).lease(ofMinutes(5)).withoutWaiting()))
                    .isEmpty();

            await().atMost(Patience.TIME) // long before the lease is over
                    .untilAsserted(() -> assertThat(servers().subList(3, NODES))
                            .allMatch(server -> server.commands().exists(lockKey) == 0));
        }
    }

    /** The two that were down restart without data, and are needed after two others have failed. */
    @Test
    @Tag(Effort.FULL)
    void countsVotesOfServersThatWereDownAtStartupAfterTheirGracePeriod() {
        servers().subList(3, NODES).forEach(RedisServer::kill);
        Duration grace = ofSeconds(3);
        try (QuorumStore store = store(grace);
                Application application = Application.over(store.connect());
                Application other = Application.over(store.connect())) {
            locks(application, other);

            servers().subList(3, NODES).forEach(RedisServer::restart);
            servers().subList(0, 2).forEach(RedisServer::kill);
            long cameBack = System.nanoTime();
            locks(application, other);

            assertThat(Duration.ofNanos(System.nanoTime() - cameBack)).isGreaterThanOrEqualTo(grace);
        }
    }

    /** The two that were down at the grant are needed at the release. */
    @Test
    void spreadsAHeldLockToServersThatWereDownAtTheGrant() {
        servers().subList(0, 2).forEach(RedisServer::kill);
        try (QuorumStore store = QuorumStore.of(REDIS.topology(), ofSeconds(20));
                ClockedEngine application =
                        new ClockedEngine(store.connect(), Application.settings(RedisScenario.LONG_LEASE))) {
            LockHandle held = application.locks().acquire(LockRequest.of(key).maxWait(Patience.TIME));
            servers().subList(0, 2).forEach(RedisServer::restart);
            String lockKey = "lock:{" + key + "}";
            application.passUntilTheRenewal(RedisScenario.LONG_LEASE);
            application.passUntil(() ->
                    servers().stream().allMatch(server -> server.commands().exists(lockKey) == 1));

            servers().subList(3, NODES).forEach(RedisServer::kill);

            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }
}
