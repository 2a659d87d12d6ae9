package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static io.github.lockstarter.redis.script.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.failure.ServerError;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenewScriptIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private RedisCommands<String, String> redis;
    private Scripts scripts;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new Scripts(redis);
    }

    @Test
    void restoresTheLeaseOfALockThatWasMadePersistent() {
        scripts.acquire("a:1", 30_000);
        redis.persist(KEYS.lock());
        assertThat(scripts.renew("a:1", 10_000)).isEqualTo("1");
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(10_000, within(1_000L));
    }

    @Test
    void canBeRepeated() {
        scripts.acquire("a:1", 5_000);
        assertThat(scripts.renew("a:1", 30_000)).isEqualTo("1");
        assertThat(scripts.renew("a:1", 30_000)).isEqualTo("1");
    }

    @Test
    void treatsAKeyOfAnotherTypeAsALockOfAnotherOwner() {
        redis.lpush(KEYS.lock(), "x");
        assertThat(scripts.renew("a:1", 30_000)).isEqualTo("0");
        assertThat(redis.pttl(KEYS.lock())).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "pttl", "pexpire"})
    void reportsTheCommandThatTheServerRefused(String command) {
        redis.psetex("lock:{1}", 5_000, stored("a:1"));
        redis.psetex("lock:{2}", 40_000, stored("a:2"));
        redis.psetex("lock:{3}", 5_000, stored("b:3"));
        REDIS.server().grantDefaultUser("-" + command);
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            String reply = new Scripts(client.connect().sync())
                    .renew(
                            List.of("lock:{1}", "lock:{2}", "lock:{3}"),
                            "a:1",
                            "20000",
                            "7",
                            "a:2",
                            "30000",
                            "7",
                            "a:3",
                            "20000",
                            "7");

            String statuses = command.equals("get") ? "???" : command.equals("pttl") ? "??0" : "?10";
            assertThat(reply).startsWith(statuses);
            assertThat(ServerError.of(reply.substring(3)).isMissingRight()).isTrue();
            assertThat(reply).doesNotContain("a:1");
        }
        assertThat(redis.pttl("lock:{1}")).isLessThanOrEqualTo(5_000);
    }
}
