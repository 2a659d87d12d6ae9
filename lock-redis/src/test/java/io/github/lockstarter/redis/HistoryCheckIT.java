package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.GuardedScripts.GRACE;
import static io.github.lockstarter.redis.GuardedScripts.HISTORY;
import static io.github.lockstarter.redis.Scripts.KEYS;
import static io.github.lockstarter.redis.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Results of acquire and renew for the stored marker and the caller's marker. */
class HistoryCheckIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private RedisCommands<String, String> redis;
    private GuardedScripts scripts;

    /** Each script looks alike. */
    enum Asking {
        ACQUIRE((scripts, known) -> scripts.acquire("a:1", known)),
        RENEW((scripts, known) -> scripts.renew("a:1", known));

        @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
        private final BiFunction<GuardedScripts, String, List<Object>> script;

        Asking(BiFunction<GuardedScripts, String, List<Object>> script) {
            this.script = script;
        }

        void ask(GuardedScripts scripts, String known) {
            List<Object> unused = script.apply(scripts, known);
        }
    }

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new GuardedScripts(redis);
    }

    @ParameterizedTest
    @EnumSource
    void trustsAnEmptyServerOnTheFirstUse(Asking asking) {
        asking.ask(scripts, "");
        assertThat(scripts.marker()).matches(scripts.replid() + ":\\d{16}:first");
    }

    @ParameterizedTest
    @EnumSource
    void waitsWhenTheMarkerThatTheCallerKnowsIsMissing(Asking asking) {
        asking.ask(scripts, "anything");
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void waitsWhenAPromotedReplicaHasNoMarker(Asking asking) {
        promote();
        asking.ask(scripts, "");
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void waitsWhenTheMarkerNamesTheHistoryOfAnotherServer(Asking asking) {
        String grace = scripts.mark("f".repeat(40), 2 * GRACE, "grace");
        asking.ask(scripts, grace);
        assertBegun();

        String first = scripts.mark("f".repeat(40), 2 * GRACE, "first");
        asking.ask(scripts, first);
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void waitsAfterAPromotionOfAReplicaWithTheMarker(Asking asking) {
        asking.ask(scripts, "");
        String before = scripts.marker();
        redis.del(KEYS.lock());
        promote();
        asking.ask(scripts, before);
        assertThat(scripts.marker()).isNotEqualTo(before);
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void waitsWhenAFormerCallerFindsAFirstUse(Asking asking) {
        String first = scripts.mark(scripts.replid(), 2 * GRACE, "first");
        asking.ask(scripts, "anything");
        assertThat(scripts.marker()).isNotEqualTo(first);
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void trustsAHistoryOfTheKnownNameWithoutAMarker(Asking asking) {
        asking.ask(scripts, scripts.replid());
        String first = scripts.marker();
        assertThat(first).matches(scripts.replid() + ":\\d{16}:first");
        asking.ask(scripts, scripts.replid());
        assertThat(scripts.marker()).isEqualTo(first);
    }

    @ParameterizedTest
    @EnumSource
    void waitsWhenAHistoryOfAnotherNameHasNoMarker(Asking asking) {
        asking.ask(scripts, "f".repeat(40));
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void waitsWhenAHistoryOfTheKnownNameWasPromotedWithoutAMarker(Asking asking) {
        promote();
        asking.ask(scripts, scripts.replid());
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void waitsWhenAFirstUseHasTheNameOfAnotherHistory(Asking asking) {
        scripts.mark(scripts.replid(), 2 * GRACE, "first");
        asking.ask(scripts, "f".repeat(40));
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void keepsAFirstUseForCallersThatKnowItOrNothing(Asking asking) {
        String first = scripts.mark(scripts.replid(), 0, "first");
        asking.ask(scripts, first);
        asking.ask(scripts, "");
        assertThat(scripts.marker()).isEqualTo(first);
    }

    @ParameterizedTest
    @EnumSource
    void keepsARunningGracePeriodForEveryCaller(Asking asking) {
        String grace = scripts.grace(200_000);
        asking.ask(scripts, grace);
        asking.ask(scripts, "");
        asking.ask(scripts, "anything");
        assertThat(scripts.marker()).isEqualTo(grace);
    }

    @ParameterizedTest
    @EnumSource
    void beginsAgainWhenTheClockWasSetBack(Asking asking) {
        String future = scripts.grace(-50_000);
        asking.ask(scripts, future);
        assertThat(scripts.marker()).isNotEqualTo(future);
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void treatsAnInvalidMarkerAsLost(Asking asking) {
        redis.set(HISTORY, "garbage");
        asking.ask(scripts, "");
        assertBegun();
    }

    @ParameterizedTest
    @EnumSource
    void theMarkerDoesNotExpire(Asking asking) {
        asking.ask(scripts, "anything");
        assertThat(redis.ttl(HISTORY)).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    void usesTheMarkerAloneWhenTheServerDoesNotNameItsHistory(Asking asking) {
        REDIS.server().grantDefaultUser("-info");
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            GuardedScripts forbidden = new GuardedScripts(client.connect().sync());
            asking.ask(forbidden, "");
            assertThat(scripts.marker()).matches("\\?:\\d{16}:first");

            asking.ask(forbidden, "anything");
            assertThat(scripts.marker()).matches("\\?:\\d{16}:grace");

            String named = scripts.mark("f".repeat(40), 200_000, "grace");
            asking.ask(forbidden, named);
            assertThat(scripts.marker()).isEqualTo(named);
        }
    }

    @Test
    void returnsTheMarkerToCallersThatDoNotKnowIt() {
        String grace = scripts.grace(200_000);
        redis.psetex(KEYS.lock(), 600_000, stored("a:1"));
        redis.set(KEYS.fence(), "7");

        assertThat(scripts.acquire("a:1", "")).containsExactly(1L, 7L, 0L, grace);
        assertThat(scripts.acquire("a:1", "anything")).containsExactly(1L, 7L, 0L, grace);
        assertThat(scripts.acquire("a:1", grace)).containsExactly(7L);
        assertThat(scripts.acquire("b:1", "")).hasSize(4).endsWith(grace);
        assertThat(scripts.acquire("b:1", grace)).hasSize(3);
        assertThat(scripts.renew("a:1", "")).startsWith("1", "", grace);
        assertThat(scripts.renew("a:1", grace)).startsWith("1", "", "");
    }

    @Test
    void failsWhenTheMarkerIsOfAnotherType() {
        redis.lpush(HISTORY, "x");
        assertThat(scripts.acquire("a:1", "")).containsExactly(-1L, 4L, 0L);
        assertThat(redis.exists(KEYS.lock())).isZero();
        assertThat(scripts.renew("a:1", "").get(0)).isEqualTo("?");
        assertThat((String) scripts.renew("a:1", "").get(1)).startsWith("WRONGTYPE");
    }

    @Test
    void returnsNoMarkerThatCouldNotBeStored() {
        REDIS.server().grantDefaultUser("-set");
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            GuardedScripts forbidden = new GuardedScripts(client.connect().sync());
            assertThat(forbidden.renew("a:1", "")).startsWith("?").element(2).isEqualTo("");
        }
        assertThat(redis.exists(HISTORY)).isZero();
    }

    /** The present history has just started, so free locks are not granted. */
    private void assertBegun() {
        String marker = scripts.marker();
        assertThat(marker).matches(scripts.replid() + ":\\d{16}:grace");
        assertThat(scripts.micros() - Long.parseLong(marker.split(":", -1)[1])).isBetween(0L, GRACE * 1_000 / 2);
        assertThat(scripts.acquire("n:1", marker)).hasSize(3).startsWith(2L);
    }

    private void promote() {
        redis.replicaof("127.0.0.1", 1);
        redis.replicaofNoOne();
    }
}
