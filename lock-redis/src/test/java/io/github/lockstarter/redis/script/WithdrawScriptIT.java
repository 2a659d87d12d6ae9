package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WithdrawScriptIT {

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
    void assumesThatAnInstanceIsAliveWhenListenersCannotBeCounted() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("elsewhere:1", 5_000, 0);
        scripts.waitFor("next:1", 5_000, 0);
        assertThat(scripts.withdrawUncounted("a:1")).isEqualTo(3);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("next");
    }

    @Test
    void signalsNobodyWhileTheLockIsHeld() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("c:1", 5_000, 0);
        scripts.withdraw("b:1");
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("c");
    }

    @Test
    void canBeRepeated() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("b:1", 5_000, 0);
        assertThat(scripts.withdraw("b:1")).isEqualTo(1);
        assertThat(scripts.withdraw("b:1")).isEqualTo(1);
    }

    /** An instance that is said to be withdrawn, and is not, would get the next signal. */
    @Test
    void failsOnAServerThatRefusesWrites() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("b:1", 5_000, 0);
        redis.configSet("min-replicas-to-write", "1");
        try {
            assertThatThrownBy(() -> scripts.withdraw("b:1")).hasMessageContaining("NOREPLICAS");
        } finally {
            redis.configSet("min-replicas-to-write", "0");
        }
        assertThat(scripts.withdraw("b:1")).isEqualTo(1);
    }

    @Test
    void succeedsWithKeysOfOtherTypes() {
        redis.lpush(KEYS.lock(), "x");
        redis.lpush(KEYS.waiters(), "x");
        assertThat(scripts.withdraw("b:1")).isEqualTo(1);
        redis.del(KEYS.lock());
        assertThat(scripts.withdraw("b:1")).isEqualTo(2);
    }
}
