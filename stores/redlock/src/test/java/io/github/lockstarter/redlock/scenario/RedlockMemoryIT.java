package io.github.lockstarter.redlock.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.scenario.RedisScenario;
import io.github.lockstarter.redlock.contract.AlteredNode;
import io.github.lockstarter.redlock.contract.QuorumStore;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One of five servers loses a held lock, by a restart or by its clock: no other owner is granted the lock. Each test
 * has a control without the guard, in which another owner is. {@code -Dlock.test.seeds=20} repeats them; {@code
 * -Dlock.test.seed=…} repeats the same choices. The clock is only simulated as far as clients can detect: the lease
 * ends too early, and the server reports another time.
 */
@Timeout(600)
class RedlockMemoryIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static final String KEY = "scenario:redlock";
    private static final int SEEDS = Integer.getInteger("lock.test.seeds", 1);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofSeconds(31);

    private final AtomicLongArray ahead = new AtomicLongArray(5);

    private static List<RedisServer> servers() {
        return REDIS.topology().servers();
    }

    @Test
    @Tag(Effort.FULL)
    void doesNotGrantALockThatAServerForgotInARestart() {
        assertThat(overlaps(UnaryOperator.identity(), RedisServer::restart)).isEmpty();
    }

    @Test
    void grantsTwiceWithoutTheHistoryGuard() {
        Duration outlivingTheTest = RedisScenario.LONG_LEASE;
        assertThat(overlaps(outlivingTheTest, QuorumStore::withoutGrace, RedisServer::restart))
                .isNotEmpty();
    }

    @Test
    void doesNotGrantALockThatAServerForgotWhenItsClockWasSet() {
        assertThat(overlaps(store -> store.behind(inTurn()), this::setForward)).isEmpty();
    }

    /** The grace of the servers is as long as the lease, so that both are short. */
    @Test
    @Tag(Effort.TIMING)
    void grantsTwiceWithoutTheClockCheck() {
        assertThat(overlaps(store -> store.behind(AlteredNode::withoutClock), this::setForward))
                .isNotEmpty();
    }

    /** Rests of leases when other owners were granted the lock. */
    private static List<Duration> overlaps(UnaryOperator<QuorumStore> settings, Consumer<RedisServer> forgetting) {
        return overlaps(LEASE, settings, forgetting);
    }

    private static List<Duration> overlaps(
            Duration lease, UnaryOperator<QuorumStore> settings, Consumer<RedisServer> forgetting) {
        Random random = RedisScenario.seeded("a quorum that forgets");
        try (RedlockMemory scenario = new RedlockMemory(servers(), lease, settings)) {
            return Stream.generate(() -> scenario.leaseLeftWhenTheNextOneIsIn(random, forgetting))
                    .limit(SEEDS)
                    .filter(left -> left.compareTo(Duration.ZERO) > 0)
                    .toList();
        }
    }

    /** Each connection makes its nodes in the order of the servers. */
    private UnaryOperator<QuorumNode> inTurn() {
        int[] next = new int[1];
        return node -> {
            int server = next[0]++ % servers().size();
            return AlteredNode.telling(
                    time -> time.isPresent() ? OptionalLong.of(time.getAsLong() + ahead.get(server)) : time, node);
        };
    }

    private void setForward(RedisServer server) {
        ahead.addAndGet(servers().indexOf(server), STEP.toNanos() / 1_000);
        server.commands().del("lock:{" + KEY + "}");
    }

    /**
     * A lock on just a quorum, one of whose servers then loses it. Instance A reaches three of the five servers and
     * holds the lock there; instance B reaches all of them. The server that loses the lock is the only common one of
     * both majorities.
     */
    private static final class RedlockMemory implements AutoCloseable {

        private final LockRequest request;
        private final List<RedisServer> servers;
        private final List<TcpProxy> proxies = new ArrayList<>();
        private final QuorumStore a;
        private final QuorumStore b;
        private final Application first;
        private final Application second;
        private final List<Integer> order = new ArrayList<>(List.of(0, 1, 2, 3, 4));

        RedlockMemory(List<RedisServer> servers, Duration lease, UnaryOperator<QuorumStore> settings) {
            this.servers = servers;
            this.request = LockRequest.of(KEY).lease(lease).maxWait(Patience.TIME);
            servers.forEach(server -> proxies.add(TcpProxy.before(server)));
            List<RedisURI> behind = proxies.stream()
                    .map(proxy -> RedisURI.create(proxy.host(), proxy.port()))
                    .toList();
            this.a = settings.apply(QuorumStore.of(behind, lease));
            this.b = settings.apply(
                    QuorumStore.of(servers.stream().map(RedisServer::uri).toList(), lease));
            this.first = Application.over(a.connect());
            this.second = Application.over(b.connect());
        }

        /** Rest of A's lease when B gets the lock; negative if it was over. The roles of the servers are random. */
        Duration leaseLeftWhenTheNextOneIsIn(Random random, Consumer<RedisServer> forgetting) {
            Collections.shuffle(order, random);
            acquireOnceAllVote();
            order.subList(3, 5).forEach(node -> separate(proxies.get(node)));
            LockHandle held = acquire(first);
            long endsAt = System.nanoTime() + held.remainingLease().toNanos();

            forgetting.accept(servers.get(order.get(random.nextInt(3))));
            LockHandle next = acquire(second);
            Duration left = Duration.ofNanos(endsAt - System.nanoTime());

            next.release();
            held.release();
            order.subList(3, 5).forEach(node -> proxies.get(node).accept());
            return left;
        }

        private static void separate(TcpProxy proxy) {
            proxy.refuse();
            proxy.cut();
        }

        /** Each instance has had an answer of every server, and each server has a history that is old enough. */
        private void acquireOnceAllVote() {
            for (Application application : List.of(first, second)) {
                acquire(application).release();
            }
            String lockKey = "lock:{" + KEY + "}";
            await().atMost(Patience.TIME).until(() -> {
                LockHandle held = acquire(first);
                boolean everywhere =
                        servers.stream().allMatch(server -> server.commands().exists(lockKey) == 1);
                held.release();
                return everywhere;
            });
            acquire(second).release();
        }

        private LockHandle acquire(Application application) {
            LockHandle[] held = new LockHandle[1];
            await().atMost(Patience.TIME)
                    .pollInterval(Duration.ofMillis(20))
                    .ignoreExceptionsInstanceOf(LockException.class)
                    .until(() -> {
                        held[0] = application.locks().acquire(request.withoutRenewal());
                        return true;
                    });
            return held[0];
        }

        @Override
        public void close() {
            first.close();
            second.close();
            a.close();
            b.close();
            proxies.forEach(TcpProxy::close);
        }
    }
}
