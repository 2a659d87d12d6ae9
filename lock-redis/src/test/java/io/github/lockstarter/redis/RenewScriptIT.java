package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static io.github.lockstarter.redis.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.lockstarter.redis.failure.ServerError;
import io.lettuce.core.RedisClient;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenewScriptIT extends ScriptsOnServer {

    @Test
    void restoresTheLeaseOfALockThatWasMadePersistent() {
        scripts.acquire("a:1", 300_000);
        redis.persist(KEYS.lock());
        assertThat(scripts.renew("a:1", 100_000)).isEqualTo("1");
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(100_000, within(10_000L));
    }

    @Test
    void canBeRepeated() {
        scripts.acquire("a:1", 50_000);
        assertThat(scripts.renew("a:1", 300_000)).isEqualTo("1");
        assertThat(scripts.renew("a:1", 300_000)).isEqualTo("1");
    }

    @Test
    void treatsAKeyOfAnotherTypeAsALockOfAnotherOwner() {
        redis.lpush(KEYS.lock(), "x");
        assertThat(scripts.renew("a:1", 300_000)).isEqualTo("0");
        assertThat(redis.pttl(KEYS.lock())).isEqualTo(-1);
    }

    /** What a reader renews beside its slot is the mark of all readers. */
    @Test
    void aReaderRenewsNoWriterWhoseNameEndsAsTheMark() {
        redis.psetex(KEYS.lock(), 50_000, stored("a:1|1 main@host/x%read"));
        assertThat(scripts.renew("%read", 300_000)).isEqualTo("0");
        assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(50_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "pttl", "pexpire"})
    void reportsTheCommandThatTheServerRefused(String command) {
        redis.psetex("lock:{1}", 50_000, stored("a:1"));
        redis.psetex("lock:{2}", 400_000, stored("a:2"));
        redis.psetex("lock:{3}", 50_000, stored("b:3"));
        REDIS.server().grantDefaultUser("-" + command);
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            String reply = new Scripts(client.connect().sync())
                    .renew(
                            List.of("lock:{1}", "lock:{2}", "lock:{3}"),
                            "a:1",
                            "200000",
                            "7",
                            "a:2",
                            "300000",
                            "7",
                            "a:3",
                            "200000",
                            "7");

            String statuses = command.equals("get") ? "???" : command.equals("pttl") ? "??0" : "?10";
            assertThat(reply).startsWith(statuses);
            assertThat(ServerError.of(reply.substring(3)).isMissingRight()).isTrue();
            assertThat(reply).doesNotContain("a:1");
        }
        assertThat(redis.pttl("lock:{1}")).isLessThanOrEqualTo(50_000);
    }
}
