package io.github.lockstarter.redlock.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.scenario.RedisScenario;
import io.github.lockstarter.redlock.contract.AlteredNode;
import io.github.lockstarter.redlock.contract.QuorumStore;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two instances alternate while servers fail, and while counters differ by far more than clocks do. {@code
 * -Dlock.test.grants=20000} runs longer.
 */
@Timeout(1200)
class RedlockFencingIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static final int GRANTS = Integer.getInteger("lock.test.grants", 400);

    /** How many without a break of the order would be a wonder: one in some hundred breaks it. */
    private static final int MOST_IN_CONTROL = 20_000;

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final long MOST_AHEAD_MICROS = 10_000_000;

    private final String key = "scenario:" + UUID.randomUUID();
    private long last;
    private int granted;
    private int notGrown;
    private final Map<RedisServer, Long> votesFrom = new HashMap<>();

    @Test
    void tokensGrowWithEveryGrantWhileServersFail() {
        runUntil(() -> granted >= GRANTS, UnaryOperator.identity());

        assertThat(notGrown).isZero();
    }

    @Test
    @Tag(Effort.FULL)
    void tokensDoNotGrowWhenTheyAreNotWrittenBack() {
        runUntil(() -> notGrown > 0 || granted >= MOST_IN_CONTROL, AlteredNode::withoutRaise);

        assertThat(notGrown).isPositive();
    }

    private synchronized void granted(long token) {
        notGrown += token > last ? 0 : 1;
        last = token;
        granted++;
    }

    private synchronized boolean is(BooleanSupplier enough) {
        return enough.getAsBoolean();
    }

    private void runUntil(BooleanSupplier enough, UnaryOperator<QuorumNode> nodes) {
        Random random = RedisScenario.seeded("servers that fail");
        List<RedisServer> servers = REDIS.topology().servers();
        try (QuorumStore store = QuorumStore.of(
                                servers.stream().map(RedisServer::uri).toList(), LEASE)
                        .behind(nodes);
                Application first = Application.over(store.connect());
                Application second = Application.over(store.connect())) {
            List<CompletableFuture<Void>> loops = Stream.of(first, second)
                    .map(application -> inBackground(() -> take(application, enough)))
                    .toList();
            while (loops.stream().anyMatch(loop -> !loop.isDone())) {
                disturb(servers, random);
                RedisScenario.letPass(Duration.ofMillis(20 + random.nextInt(100)));
            }
            loops.forEach(CompletableFuture::join);
        }
    }

    private static CompletableFuture<Void> inBackground(Runnable work) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
                end.complete(null);
            } catch (RuntimeException | Error e) {
                end.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return end;
    }

    private void take(Application application, BooleanSupplier enough) {
        LockRequest request = LockRequest.of(key).lease(LEASE).maxWait(Duration.ofSeconds(10));
        while (!is(enough)) {
            try (LockHandle lock = application.locks().acquire(request)) {
                granted(lock.fencingToken());
            } catch (LockBackendException | LockNotAcquiredException | LockLostException e) {
                // Too few servers just now, or too slow for the lease: tried again.
            }
        }
    }

    /** Two servers at most are down, or recover. A counter runs ahead as if many tokens had been granted. */
    private void disturb(List<RedisServer> servers, Random random) {
        RedisServer server = servers.get(random.nextInt(servers.size()));
        long now = System.nanoTime();
        long away = servers.stream()
                .filter(each -> votesFrom.getOrDefault(each, now) - now > 0)
                .count();
        if (random.nextInt(8) > 0) {
            runAhead(server, random);
        } else if (away < 2 && votesFrom.getOrDefault(server, now) - now <= 0) {
            server.restart();
            votesFrom.put(server, System.nanoTime() + LEASE.toNanos() + TimeUnit.SECONDS.toNanos(1));
        }
    }

    private void runAhead(RedisServer server, Random random) {
        String fence = "lock:fence";
        try {
            if (server.commands().get(fence) != null) {
                server.commands().incrby(fence, random.nextLong(MOST_AHEAD_MICROS));
            }
        } catch (RedisException e) {
            // Down just now.
        }
    }
}
