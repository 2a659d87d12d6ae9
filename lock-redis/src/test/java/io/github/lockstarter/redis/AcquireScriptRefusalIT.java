package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static io.github.lockstarter.redis.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.failure.ServerError;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The state after the server rejects a command, or a key has another type: no lock without a grant. */
class AcquireScriptRefusalIT extends ScriptsOnServer {

    @ParameterizedTest
    @ValueSource(strings = {"get", "time", "zcard", "zrem"})
    void grantsNoLockWhenAnEarlierCommandIsForbidden(String command) {
        scripts.acquire("b:1", 300_000);
        scripts.waitFor("c:1", 50_000, 0);
        redis.del(KEYS.lock());
        REDIS.server().grantDefaultUser("-" + command);
        refused(limited -> limited.waitFor("a:1", 50_000, 1));
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void grantsNoLockWhenReadingTheQueueIsForbidden() {
        scripts.acquire("b:1", 300_000);
        scripts.waitFor("c:1", 50_000, 0);
        redis.del(KEYS.lock());
        REDIS.server().grantDefaultUser("-zscore");
        refused(limited -> limited.acquireMany("a:1", 2, 0));
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void grantsNoLockWhenWritingTheCounterIsForbidden() {
        assumeThat(RedisServer.isBefore(7, 0)).isFalse();
        String counter = Long.toString(serverMicros());
        redis.set(KEYS.fence(), counter);
        REDIS.server()
                .grantDefaultUser(
                        "resetkeys", "~" + KEYS.lock(), "~" + KEYS.waiters(), "~lock:history*", "%R~" + KEYS.fence());
        refused(limited -> limited.acquire("a:1", 300_000));
        assertThat(redis.exists(KEYS.lock())).isZero();
        assertThat(redis.get(KEYS.fence())).isEqualTo(counter);
    }

    @Test
    void keepsTheLockWhenARepeatedAttemptIsForbidden() {
        scripts.acquire("a:1", 300_000);
        redis.del(KEYS.fence());
        redis.lpush(KEYS.fence(), "x");
        assertThat(scripts.acquire("a:1", 300_000, serverMicros())).isEqualTo(List.of(-1L, 2L, 0L));
        assertThat(redis.get(KEYS.lock())).endsWith(" a:1");
    }

    @Test
    void namesTheOwnerOnAFullServer() {
        scripts.acquire("a:1", 300_000);
        redis.configSet("maxmemory-policy", "noeviction");
        redis.configSet("maxmemory", "1");
        try {
            assertThat(scripts.acquire("b:1", 300_000).get(0)).isZero();
            assertThat(scripts.acquire("a:1", 300_000).get(0)).isEqualTo(1);
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    @Test
    void theFailureNamesTheKeyThatHoldsAnotherType() {
        redis.lpush(KEYS.lock(), "x");
        assertThat(scripts.acquire("a:1", 300_000)).isEqualTo(List.of(-1L, 1L, 0L));
        redis.del(KEYS.lock());

        redis.lpush(KEYS.fence(), "x");
        assertThat(scripts.acquire("a:1", 300_000)).isEqualTo(List.of(-1L, 2L, 0L));
        redis.del(KEYS.fence());

        redis.lpush(KEYS.waiters(), "x");
        assertThat(scripts.acquireMany("a:1", 2, 0)).isEqualTo(List.of(-1L, 3L, 0L));
        assertThat(scripts.waitFor("a:1", 50_000, 1)).isEqualTo(List.of(-1L, 3L, 0L));
        assertThat(redis.exists(KEYS.lock(), KEYS.fence())).isZero();

        redis.set(KEYS.lock(), stored("b:1"));
        assertThat(scripts.waitFor("a:1", 50_000, 0)).isEqualTo(List.of(-1L, 3L, 0L));
    }

    @Test
    void leavesNoLockBehindWhenTheServerRefusesWrites() {
        redis.configSet("maxmemory-policy", "noeviction");
        redis.configSet("maxmemory", "1");
        try {
            assertThatExceptionOfType(RedisCommandExecutionException.class)
                    .isThrownBy(() -> scripts.acquire("a:1", 300_000))
                    .satisfies(refusal ->
                            assertThat(ServerError.of(refusal).code()).isEqualTo("OOM"));
        } finally {
            redis.configSet("maxmemory", "0");
        }
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    private void refused(Consumer<Scripts> attempt) {
        RedisClient client = RedisClient.create(REDIS.server().uri());
        try {
            Scripts limited = new Scripts(client.connect().sync());
            assertThatExceptionOfType(RedisCommandExecutionException.class).isThrownBy(() -> attempt.accept(limited));
        } finally {
            client.shutdown();
        }
    }
}
