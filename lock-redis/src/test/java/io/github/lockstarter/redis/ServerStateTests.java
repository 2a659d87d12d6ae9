package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerStateTests {

    private static final RedisSettings WITHOUT_GRACE =
            new RedisSettings("lock:", Duration.ofSeconds(2), RedisSettings.HistoryGuard.of(Duration.ZERO));

    private static final RedisSettings DISTRUSTING = new RedisSettings(
            "lock:",
            Duration.ofSeconds(2),
            new RedisSettings.HistoryGuard(Duration.ofSeconds(30), FirstUse.GRACE, Duration.ZERO));

    private static final String SAFE = """
        maxmemory:100
        maxmemory_policy:noeviction
        aof_enabled:1
        """;

    private static final String WITHOUT_LOG = """
        aof_enabled:0
        rdb_changes_since_last_save:7
        rdb_last_save_time:1790000000
        server_time_usec:%d
        """;

    @Test
    void givesNoWarningForSafeSettings() {
        assertThat(warnings(SAFE, WITHOUT_GRACE)).isEmpty();
    }

    @Test
    void givesNoWarningForSettingsThatTheServerHides() {
        assertThat(warnings("", WITHOUT_GRACE)).isEmpty();
        assertThat(warnings("maxmemory:many\r\nmaxmemory_policy:allkeys-lru", RedisSettings.DEFAULTS))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "allkeys-lru",
                "allkeys-lfu",
                "allkeys-random",
                "volatile-lru",
                "volatile-lfu",
                "volatile-random",
                "volatile-ttl"
            })
    void warnsWhenLocksCanBeEvicted(String policy) {
        String info = "maxmemory_policy:" + policy + "\r\nmaxmemory:";
        assertThat(warnings(info + "100", RedisSettings.DEFAULTS))
                .singleElement()
                .asString()
                .contains("Redis at here:1", policy, "noeviction");
        assertThat(warnings(info + "0", RedisSettings.DEFAULTS)).isEmpty();
    }

    @Test
    void warnsWhenADeposedMasterAcceptsWritesWithoutReplicas() {
        RedisSettings bound = new RedisSettings(
                "lock:",
                Duration.ofSeconds(2),
                new RedisSettings.HistoryGuard(Duration.ofSeconds(30), FirstUse.GRANT, Duration.ofSeconds(5)));
        assertThat(warnings("redis_version:6.0.16", bound))
                .singleElement()
                .asString()
                .contains("version 6.0.16", "min-replicas-to-write", "Redis 6.2 or later");
        assertThat(warnings("redis_version:6.2.11", bound)).isEmpty();
        assertThat(warnings("redis_version:6.0.16", RedisSettings.DEFAULTS)).isEmpty();
    }

    @Test
    void warnsThatARestartForgetsLocksWithoutTheHistoryGuard() {
        assertThat(warnings("aof_enabled:0", WITHOUT_GRACE))
                .singleElement()
                .asString()
                .contains("grace-period is 0s", "appendonly yes");
        assertThat(warnings("aof_enabled:0", RedisSettings.DEFAULTS)).isEmpty();
    }

    @Test
    void warnsThatTheGuardsMarkerIsNotSaved() {
        String hours = String.format(WITHOUT_LOG, 1_790_010_000_000_000L);
        assertThat(warnings(hours, RedisSettings.DEFAULTS))
                .singleElement()
                .asString()
                .contains("has not saved the last 7 changes", "appendonly yes or save");
        assertThat(warnings(hours, DISTRUSTING)).isEmpty();
        assertThat(warnings(String.format(WITHOUT_LOG, 1_790_003_600_000_000L), RedisSettings.DEFAULTS))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"role:active-replica", "crdt_replid:4d3e", "role:master\r\n# CRDT\r\ncrdt_config_version:1"})
    void findsTheFieldThatTellsOfOtherMasters(String info) {
        assertThat(ServerState.of(info).otherMasters()).hasValue(info.substring(info.lastIndexOf('\n') + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "role:master", "role:slave\r\nmaster_replid:4d3e"})
    void findsNoOtherMasterOfARedis(String info) {
        assertThat(ServerState.of(info).otherMasters()).isEmpty();
    }

    private static List<String> warnings(String info, RedisSettings settings) {
        return ServerState.of(info).warnings("here:1", settings);
    }
}
