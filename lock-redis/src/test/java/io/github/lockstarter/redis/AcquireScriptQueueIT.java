package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lettuce.core.RedisClient;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue, its order, and the notice to the owner. */
class AcquireScriptQueueIT extends ScriptsOnServer {

    @Test
    void queuesAWaiterAtTheServersTime() {
        scripts.acquire("a:1", 300_000);
        long before = serverMicros();
        long position = scripts.waitFor("b:1", 50_000, 0).get(2);
        assertThat(position).isBetween(before, serverMicros());
        assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) position);
        assertThat(redis.pttl(KEYS.waiters())).isCloseTo(50_000, within(10_000L));
    }

    @Test
    void keepsTheQueueForTheLongestWait() {
        scripts.acquire("a:1", 300_000);
        scripts.waitFor("b:1", 600_000, 0);
        scripts.waitFor("c:1", 10_000, 0);
        assertThat(redis.pttl(KEYS.waiters())).isCloseTo(600_000, within(10_000L));
    }

    @Test
    void aGrantedTryKeepsThePlaceOfTheWaiterOfItsInstance() {
        scripts.acquire("a:1", 300_000);
        scripts.waitFor("b:1", 50_000, 0);
        redis.del(KEYS.lock());
        scripts.acquireMany("b:2", 2, 0);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void notifiesTheOwnerOnceThatAnotherInstanceWaits() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 300_000);
            scripts.waitFor("b:1", 50_000, 0);
            scripts.waitFor("b:2", 50_000, 0);
            scripts.waitFor("c:1", 50_000, 0);
            assertThat(receivedUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY);
        }
    }

    @Test
    void notifiesTheOwnerAgainOnceTheQueueWasEmpty() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 300_000);
            scripts.waitFor("b:1", 50_000, 0);
            scripts.withdraw("b:1");
            scripts.waitFor("c:1", 50_000, 0);
            assertThat(receivedUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY, "%!" + Scripts.KEY);
        }
    }

    @Test
    void doesNotNotifyAnOwnerOfItsOwnWaiters() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 300_000);
            scripts.waitFor(OWNER + ":2", 50_000, 0);
            assertThat(receivedUntilNow(owner, OWNER)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "abc",
                "x:1",
                OWNER,
                OWNER + ":",
                OWNER + ":1x",
                ":1",
                "0" + OWNER + ":1",
                "ABCDEF0123456789ABCDEF0123456789:1",
                "{}"
            })
    void tellsNoForeignOwner(String value) {
        redis.set(KEYS.lock(), value);
        long before = publications();
        assertThat(scripts.waitFor("b:1", 50_000, 0).get(0)).isZero();
        assertThat(publications()).isEqualTo(before);
    }

    @Test
    void queuesAWaiterWhenTheOwnerCannotBeNotified() {
        scripts.acquire(OWNER + ":1", 300_000);
        REDIS.server().grantDefaultUser("-publish");
        RedisClient client = RedisClient.create(REDIS.server().uri());
        try {
            List<Long> contended = new Scripts(client.connect().sync()).waitFor("b:1", 50_000, 0);
            assertThat(contended.get(0)).isZero();
            assertThat(contended.get(2)).isPositive();
        } finally {
            client.shutdown();
        }
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    private long publications() {
        return Stream.of(REDIS.server()
                        .info("commandstats")
                        .getOrDefault("cmdstat_publish", "calls=0")
                        .split(","))
                .filter(field -> field.startsWith("calls="))
                .mapToLong(field -> Long.parseLong(field.substring("calls=".length())))
                .sum();
    }
}
