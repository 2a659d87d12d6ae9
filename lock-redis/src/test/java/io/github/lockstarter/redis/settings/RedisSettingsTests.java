package io.github.lockstarter.redis.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.redis.KeySpace;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisSettingsTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final RedisSettings.HistoryGuard GUARD = RedisSettings.HistoryGuard.of(Duration.ofSeconds(30));

    private final RedisSettings settings = new RedisSettings("lock:", TIMEOUT, GUARD);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a{b",
                "a}b",
                "line\n",
                "\uD800",
                "12345678901234567890123456789012345678901234567890123456789012345"
            })
    void refuseAPrefixThatCannotBeOne(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisSettings(prefix, TIMEOUT, GUARD))
                .withMessageContaining("distributed-lock.key-prefix");
    }

    /** In a cluster, the lock "5" of such a prefix would be the marker, or the counter, of the prefix before it. */
    @ParameterizedTest
    @ValueSource(strings = {":history:", "lock:history:", "lock:fence:"})
    void refuseAPrefixThatCollidesWithMarkersOrCountersOfAnother(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisSettings(prefix, TIMEOUT, GUARD))
                .withMessageContaining("distributed-lock.key-prefix '" + prefix + "' ends with ':");
        KeySpace slots = KeySpace.of("lock:", true);
        int slot = SlotHash.getSlot("5");
        assertThat(new KeySpace("lock:history:").lockOf("5")).isEqualTo(slots.historyOf(slot));
        assertThat(new KeySpace("lock:fence:").lockOf("5"))
                .isEqualTo(slots.keysOf("5").fence());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "l",
                "shop:locks:",
                "order-history:",
                "größe:",
                "1234567890123456789012345678901234567890123456789012345678901234"
            })
    void takeAnyOtherPrefix(String prefix) {
        assertThat(new RedisSettings(prefix, TIMEOUT, GUARD).keyPrefix()).isEqualTo(prefix);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 99, 60_001})
    void refuseACommandTimeoutOutOfRange(long millis) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisSettings("lock:", Duration.ofMillis(millis), GUARD))
                .withMessageContaining("distributed-lock.redis.command-timeout")
                .withMessageContaining("100ms");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 10_001, 30_000})
    void refuseAQuietPeriodThatALeaseCannotOutlast(long millis) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisSettings.HistoryGuard.checkDeposedMasterWrites(
                        Duration.ofMillis(millis), Duration.ofSeconds(30)))
                .withMessageContaining("distributed-lock.redis.deposed-master-writes is "
                        + DurationText.exactly(Duration.ofMillis(millis)))
                .withMessageContaining("a third of every lease (30s)");
    }

    @Test
    void acceptAQuietPeriodOfAThirdOfTheLease() {
        Duration lease = Duration.ofSeconds(30);
        Duration writes = Duration.ofSeconds(10);
        RedisSettings.HistoryGuard.checkDeposedMasterWrites(writes, lease);
        assertThat(new RedisSettings.HistoryGuard(lease, RedisSettings.FirstUse.GRANT, writes).grace())
                .isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void haveNoQuietPeriodWithoutAGracePeriod() {
        RedisSettings.HistoryGuard off =
                new RedisSettings.HistoryGuard(Duration.ZERO, RedisSettings.FirstUse.GRANT, Duration.ofSeconds(10));
        assertThat(off.grace()).isZero();
        assertThat(off.deposedMasterWrites()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1, 29_999})
    void refuseAGracePeriodThatEndsBeforeALease(long millis) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        RedisSettings.HistoryGuard.checkGracePeriod(Duration.ofMillis(millis), Duration.ofSeconds(30)))
                .withMessageContaining(
                        "distributed-lock.redis.grace-period is " + DurationText.exactly(Duration.ofMillis(millis)))
                .withMessageContaining("0s, or at least distributed-lock.max-lease (30s)");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 30, 60})
    void acceptNoGracePeriodAndOneThatOutlastsAllLeases(long seconds) {
        assertThatCode(() -> RedisSettings.HistoryGuard.checkGracePeriod(
                        Duration.ofSeconds(seconds), Duration.ofSeconds(30)))
                .doesNotThrowAnyException();
    }

    @Test
    void limitTheTimeoutsAndTheQueueOfTheClient() {
        ClientOptions tuned =
                settings.tune(ClientOptions.builder().autoReconnect(false).build());
        assertThat(tuned.getTimeoutOptions().isTimeoutCommands()).isTrue();
        assertThat(tuned.getRequestQueueSize()).isEqualTo(RedisSettings.REQUEST_QUEUE_SIZE);
        assertThat(tuned.isAutoReconnect()).isTrue();
        assertThat(tuned.getSocketOptions().getConnectTimeout()).isEqualTo(TIMEOUT);
    }

    /** Waiters outlast an outage, regardless of the application's settings for its own commands. */
    @Test
    void queueCommandsDuringAReconnect() {
        ClientOptions application = ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .suspendReconnectOnProtocolFailure(true)
                .build();
        ClientOptions tuned = settings.tune(application);
        assertThat(tuned.getDisconnectedBehavior()).isEqualTo(ClientOptions.DisconnectedBehavior.DEFAULT);
        assertThat(tuned.isSuspendReconnectOnProtocolFailure()).isFalse();
    }

    @Test
    void keepTheOtherClientOptionsOfTheApplication() {
        ClientOptions application = ClientOptions.builder()
                .protocolVersion(ProtocolVersion.RESP2)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofMillis(300))
                        .tcpNoDelay(false)
                        .build())
                .build();
        ClientOptions tuned = settings.tune(application);
        assertThat(tuned.getProtocolVersion()).isEqualTo(ProtocolVersion.RESP2);
        assertThat(tuned.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofMillis(300));
        assertThat(tuned.getSocketOptions().isTcpNoDelay()).isFalse();
        assertThat(tuned.getSslOptions()).isSameAs(application.getSslOptions());
    }

    @Test
    void keepTheClusterOptionsOfAClusterClient() {
        assertThat(settings.tune(ClusterClientOptions.create())).isInstanceOf(ClusterClientOptions.class);
    }
}
