package io.github.lockstarter.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.fence.testing.Overlapping;
import io.github.lockstarter.kit.redis.RedisExtension;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/** Fences of data in Redis, whose holders overlap. */
class RedisFencesIT {

    private static final RedisScript<Long> READ =
            RedisScript.of("return tonumber(redis.call('GET', KEYS[1]) or '0')", Long.class);
    private static final RedisScript<Long> WRITE =
            RedisScript.of("redis.call('SET', KEYS[1], ARGV[1]) return 1", Long.class);
    private static final RedisScript<String> GIVEN =
            RedisScript.of("return #KEYS .. ' ' .. #ARGV .. ' ' .. KEYS[#KEYS] .. ' ' .. ARGV[#ARGV]", String.class);

    private static final int HOLDERS = 600;
    private static final int AT_A_TIME = 16;
    private static final List<String> BALANCE = List.of("balance:{account}");

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private LettuceConnectionFactory connections;
    private StringRedisTemplate redis;
    private RedisFences fences;

    @BeforeEach
    void connect() {
        connections = new LettuceConnectionFactory(
                REDIS.server().host(), REDIS.server().port());
        connections.start();
        redis = new StringRedisTemplate(connections);
        fences = new RedisFences(redis);
    }

    @AfterEach
    void disconnect() {
        connections.stop();
    }

    @Test
    void losesNoUpdateOfOverlappingHolders() {
        assertThat(lostUpdates(true)).isZero();
    }

    /** The control. */
    @Test
    void losesUpdatesOfOverlappingHoldersWithoutAFence() {
        assertThat(lostUpdates(false)).isPositive();
    }

    private int lostUpdates(boolean fenced) {
        AtomicLong lastToken = new AtomicLong();
        AtomicInteger written = new AtomicInteger();
        ExecutorService holders = Executors.newFixedThreadPool(AT_A_TIME);
        CompletableFuture.allOf(IntStream.range(0, HOLDERS)
                        .mapToObj(holder -> CompletableFuture.runAsync(
                                () -> {
                                    long token = lastToken.incrementAndGet();
                                    try {
                                        holding(token, () -> increment(fenced, holder % 6));
                                        written.incrementAndGet();
                                    } catch (OvertakenException refused) {
                                        assertThat(fenced).isTrue();
                                    }
                                },
                                holders))
                        .toArray(CompletableFuture[]::new))
                .join();
        holders.shutdown();
        assertThat(written).hasPositiveValue();
        return written.get() - balance();
    }

    private Long increment(boolean fenced, int thought) {
        Long read = fenced ? fences.run(READ, BALANCE) : redis.execute(READ, BALANCE);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(thought));
        String next = Long.toString(read + 1);
        return fenced ? fences.run(WRITE, BALANCE, next) : redis.execute(WRITE, BALANCE, next);
    }

    @Test
    void refusesAHolderAfterALaterOne() {
        holding(2, () -> fences.run(WRITE, BALANCE, "10"));

        assertThatThrownBy(() -> holding(1, () -> fences.run(WRITE, BALANCE, "100")))
                .isInstanceOf(OvertakenException.class)
                .hasMessageContaining(
                        "Lost lock 'account' (fencing token 1): a later holder, with fencing token 2, has");
        holding(2, () -> fences.run(WRITE, BALANCE, "11"));
        assertThat(balance()).isEqualTo(11);
    }

    @Test
    void refusesAHolderOfSeveralLocksThatHasLostOne() {
        Overlapping.hold(7, () -> fences.run(WRITE, BALANCE, "10"), "b");

        assertThatThrownBy(() -> Overlapping.hold(
                        9, () -> Overlapping.hold(6, () -> fences.run(WRITE, BALANCE, "100"), "b", "c"), "a"))
                .isInstanceOf(OvertakenException.class)
                .hasMessageContaining("Lost lock 'b'");
        assertThat(balance()).isEqualTo(10);
    }

    @Test
    void passesKeysAndArgumentsToTheScript() {
        List<String> keys = List.of("{account}:1", "{account}:2");

        assertThat(Overlapping.<String>hold(3, () -> fences.run(GIVEN, keys, "x", "y", "z"), "a", "b"))
                .isEqualTo("2 3 {account}:2 z");
    }

    @Test
    void keepsTheFenceInTheSlotOfTheFirstKey() {
        holding(3, () -> fences.run(WRITE, BALANCE, "1"));
        holding(3, () -> fences.run(WRITE, List.of("untagged"), "1"));

        assertThat(redis.opsForValue().get("fence:{account}:account")).isEqualTo("3");
        assertThat(redis.opsForValue().get("fence:{untagged}:account")).isEqualTo("3");
    }

    @Test
    void theFailureDescribesTheProblem() {
        assertThatThrownBy(() -> fences.run(WRITE, BALANCE, "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Fences were called under no lock, or one that is only read (mode READ). Call them inside of"
                                + " a method with @DistributedLock that writes, or of LockOperations.execute");
        assertThatThrownBy(() -> holding(
                        1,
                        () -> redis.executePipelined(new SessionCallback<Object>() {

                            @Override
                            public <K, V> Object execute(RedisOperations<K, V> session) {
                                return fences.run(WRITE, BALANCE, "1");
                            }
                        })))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("A fenced script was called in a pipeline or MULTI, where its rejection would go unnoticed."
                        + " Call it outside of them");
        assertThatThrownBy(() -> holding(1, () -> fences.run(WRITE, List.of(), "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A fenced script needs a key, by whose slot its fence is stored");
        assertThatThrownBy(() -> holding(1, () -> fences.run(RedisScript.of("return nothing()", Long.class), BALANCE)))
                .as("an error of the script itself")
                .isInstanceOf(DataAccessException.class);
    }

    private static <T> T holding(long token, Supplier<T> body) {
        return Overlapping.hold(token, body, "account");
    }

    private int balance() {
        return Integer.parseInt(redis.opsForValue().get("balance:{account}"));
    }
}
