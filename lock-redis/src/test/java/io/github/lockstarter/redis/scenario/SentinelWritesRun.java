package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/**
 * How long a replaced master, or a master without replicas, accepts writes. Runs only by name, since it tests Redis and
 * not the locks: {@code -Dit.test=SentinelWritesRun}. Prints the values.
 */
@Timeout(90)
class SentinelWritesRun {

    private static final int MAX_LAG_SECONDS = 2;

    private static void bound(List<RedisServer> servers) {
        servers.forEach(server -> {
            server.commands().configSet("min-replicas-to-write", Integer.toString(servers.size() - 1));
            server.commands().configSet("min-replicas-max-lag", Integer.toString(MAX_LAG_SECONDS));
        });
        letPass(Duration.ofSeconds(2)); // the good replicas are counted once a second
    }

    @RepeatedTest(5)
    void aDeposedMasterAcceptsNoWritesOnceAReplicaIsPromoted() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            bound(sentinels.servers());
            RedisServer before = sentinels.master();
            List<RedisServer> replicas = replicasOf(before, sentinels.servers());
            try (Writer writer = new Writer(before)) {
                letPass(Duration.ofMillis(300));
                sentinels.requestFailOver();
                await().atMost(Patience.TIME)
                        .pollInterval(Duration.ofMillis(2))
                        .ignoreExceptionsInstanceOf(RedisException.class)
                        .until(() -> replicas.stream().anyMatch(replica -> "master"
                                .equals(replica.commands().role().get(0))));
                assertThat(writer.writtenAfter(System.nanoTime(), "the promotion"))
                        .isLessThan(Duration.ofSeconds(2));
            }
        }
    }

    @RepeatedTest(5)
    void aMasterAcceptsNoWritesSoonAfterItsReplicasBecomeSilent() {
        try (RedisReplication replication = RedisReplication.start(2)) {
            bound(replication.servers());
            RedisServer master = replication.master();
            List<RedisServer> replicas = replicasOf(master, replication.servers());
            try (Writer writer = new Writer(master)) {
                letPass(Duration.ofMillis(300));
                replicas.forEach(RedisServer::pause);
                assertThat(writer.writtenAfter(System.nanoTime(), "the silence"))
                        .isLessThan(Duration.ofSeconds(MAX_LAG_SECONDS + 2));
            } finally {
                replicas.forEach(RedisServer::resume);
            }
        }
    }

    private static List<RedisServer> replicasOf(RedisServer master, List<RedisServer> servers) {
        return servers.stream().filter(server -> server != master).toList();
    }

    private static void letPass(Duration time) {
        await().pollDelay(time).atMost(time.plusSeconds(10)).until(() -> true);
    }

    /** Writes every 3 ms as long as the server accepts. */
    private static final class Writer implements AutoCloseable {

        private final RedisClient client;
        private final Thread thread;
        private volatile long lastWrite = System.nanoTime();

        Writer(RedisServer server) {
            client = RedisClient.create(server.uri());
            RedisCommands<String, String> redis = client.connect().sync();
            thread = new Thread(() -> write(redis));
            thread.start();
        }

        private void write(RedisCommands<String, String> redis) {
            while (!Thread.currentThread().isInterrupted()) {
                long sent = System.nanoTime();
                try {
                    redis.set("written", "x");
                    lastWrite = sent;
                } catch (RedisException e) {
                    // Refused, or interrupted, which the loop sees.
                }
                LockSupport.parkNanos(3_000_000L);
            }
        }

        /** Time until no write was accepted for four seconds; negative if the last one was earlier. */
        Duration writtenAfter(long event, String what) {
            await().atMost(Patience.TIME).until(() -> System.nanoTime() - lastWrite > TimeUnit.SECONDS.toNanos(4));
            Duration after = Duration.ofNanos(lastWrite - event);
            System.out.println("Last write " + after.toMillis() + " ms after " + what);
            return after;
        }

        @Override
        public void close() {
            thread.interrupt();
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
