package io.github.lockstarter.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Instances whose threads request uncached products, in Redis. Compares times of {@link System#nanoTime()} between
 * JVMs, which one machine counts from the same origin.
 */
@Tag(Effort.FULL)
class CachedProductIT {

    private static final int INSTANCES = Effort.of(2, 3);
    private static final int KEYS = Effort.of(2, 100);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final List<ChildJvm> jvms = new ArrayList<>();

    @AfterEach
    void close() {
        jvms.forEach(ChildJvm::close);
    }

    @Test
    void allInstancesLoadOncePerKey() {
        IntStream.range(0, INSTANCES).forEach(instance -> launch(REDIS.server().port(), "--test.load-ms=300"));
        jvms.forEach(CachedProductIT::awaitReady);
        for (String kind : List.of("lamp", "async")) {
            List<Long> times = IntStream.range(0, KEYS)
                    .mapToObj(i -> askAll(kind + i))
                    .sorted()
                    .toList();
            System.out.printf(
                    "%d keys of %s: 1 load each; the last answer after %d ms (median), %d ms at most%n",
                    KEYS, kind, times.get(KEYS / 2), times.get(KEYS - 1));
            IntStream.range(0, KEYS).forEach(i -> assertThat(loads(kind + i)).hasSize(1));
        }
        // The control: a cache that is not named.
        askAll("control");
        System.out.println(loads("control").size() + " loads in a cache that is not named");
        assertThat(loads("control")).hasSizeGreaterThanOrEqualTo(INSTANCES);
    }

    /** How long the slowest instance took. */
    private long askAll(String key) {
        jvms.forEach(jvm -> jvm.send(key));
        return jvms.stream().mapToLong(jvm -> awaitAnswer(jvm, key)).max().orElseThrow();
    }

    @Test
    @Tag(Effort.TIMING)
    void theNextInstanceLoadsWhenTheLoadingOneCrashes() {
        ChildJvm crashes = launch(REDIS.server().port(), "--test.load-ms=600000");
        ChildJvm next = launch(REDIS.server().port(), "--test.load-ms=300", "--distributed-lock.max-wait=30s");
        jvms.forEach(CachedProductIT::awaitReady);
        crashes.send("lamp");
        crashes.awaitLine(line -> line.startsWith(CachedProductApplication.LOADS), Patience.TIME);
        next.send("lamp");
        Awaitility.await()
                .pollDelay(Duration.ofMillis(500))
                .until(() -> loads("lamp").size() == 1);
        long killed = System.nanoTime();
        crashes.kill();
        String loads = next.awaitLine(line -> line.startsWith(CachedProductApplication.LOADS), Patience.TIME);
        Duration after = Duration.ofNanos(Long.parseLong(word(loads, 2)) - killed);
        System.out.println("The next instance loads " + after.toMillis() + " ms after the crash");
        assertThat(after).isBetween(Duration.ofMillis(900), Duration.ofSeconds(4)); // the lease is longer
        awaitAnswer(next, "lamp");
        assertThat(loads("lamp")).hasSize(2);
    }

    @Test
    @Tag(Effort.TIMING)
    void loadsWhileTheLockServerIsDown() {
        try (RedisServer locks = RedisServer.start()) {
            int cache = REDIS.server().port();
            ChildJvm jvm = launch(
                    locks.port(),
                    "--test.load-ms=300",
                    "--test.cache-port=" + cache,
                    "--distributed-lock.redis.command-timeout=2s",
                    "--distributed-lock.max-wait=5s");
            awaitReady(jvm);
            jvm.send("lamp");
            awaitAnswer(jvm, "lamp");
            assertThat(loads("lamp")).hasSize(1);
            locks.kill();
            for (String key : List.of("first", "second")) {
                jvm.send(key);
                long time = awaitAnswer(jvm, key);
                System.out.println("Without the server of the locks: answers after " + time + " ms, "
                        + loads(key).size() + " loads");
                assertThat(loads(key)).isNotEmpty();
                assertThat(time).isLessThan(4_000); // less than the wait
            }
        }
    }

    private ChildJvm launch(int portOfLocks, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("--distributed-lock.cache.names=products", "--spring.data.redis.port=" + portOfLocks));
        arguments.addAll(List.of(more));
        ChildJvm jvm = ChildJvm.start(
                CachedProductApplication.class,
                RedisApplication.arguments(REDIS.server(), arguments.toArray(String[]::new)));
        jvms.add(jvm);
        return jvm;
    }

    private static void awaitReady(ChildJvm jvm) {
        jvm.awaitLine(CachedProductApplication.READY::equals, Patience.TIME);
    }

    private static long awaitAnswer(ChildJvm jvm, String key) {
        String begin = CachedProductApplication.ANSWERED + " " + key + " ";
        return Long.parseLong(word(jvm.awaitLine(line -> line.startsWith(begin), Patience.TIME), 2));
    }

    private static String word(String line, int index) {
        return line.split(" ", -1)[index];
    }

    private List<String> loads(String key) {
        return jvms.stream()
                .flatMap(jvm -> jvm.lines().stream())
                .filter(line -> line.startsWith(CachedProductApplication.LOADS + " " + key + " "))
                .toList();
    }
}
