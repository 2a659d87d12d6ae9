package io.github.lockstarter.redis.connection;

import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.BackendUser;
import io.github.lockstarter.redis.RecordedSignals;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.ScriptCommands;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.failure.RequiredRights;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.RenewResult;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class RedisAccessIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Test
    void needsOnlyTheRightsThatItChecks() {
        grant(Stream.of("~lock:*", "&lock:*"));
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            backend.listen("a", new RecordedSignals());
            assertThatNoException().isThrownBy(backend::start);
        }
    }

    static final List<String> REQUIRED = Stream.concat(
                    ScriptCommands.required().stream(), Stream.of("EVALSHA", "SUBSCRIBE"))
            .map(command -> command.toLowerCase(Locale.ROOT))
            .toList();

    @ParameterizedTest
    @FieldSource("REQUIRED")
    void saysAtTheStartWhichRightIsMissing(String command) {
        grant(Stream.of("~lock:*", "&lock:*", "-" + command));
        saysAtTheStart("+" + command);
        startsAsAdvised();
    }

    @Test
    void theStartNamesAllMissingRights() {
        grant(Stream.of("~lock:*", "&lock:*", "-evalsha", "-set", "-publish"));
        assertThat(remedyAtTheStart(REDIS.server().uri()))
                .contains("(all that locks need: ~lock:* &lock:* " + RequiredRights.COMMANDS + ")");
    }

    @Test
    void suggestsRightsThatKeepThoseOfTheApplication() {
        REDIS.server().grantDefaultUser("reset", "on", "nopass", "~app:*", "allchannels", "+@all");
        saysAtTheStart("~lock:*");
        startsAsAdvised();
        assertThatNoException().isThrownBy(() -> asUser(commands -> commands.hset("app:cart", "item", "1")));
    }

    @Test
    void suggestsNoKeyPatternForAUserWithAllKeys() {
        REDIS.server().grantDefaultUser("reset", "on", "nopass", "~*", "allchannels", "+@all", "-zcard");
        saysAtTheStart("+zcard");
        startsAsAdvised();
        assertThatNoException().isThrownBy(() -> asUser(commands -> commands.hset("cart", "item", "1")));
    }

    @Test
    void namesTheRightThatConnectingNeeds() {
        RedisURI uri = REDIS.server().uri();
        uri.setDatabase(1);
        grant(Stream.of("~lock:*", "&lock:*", "-select"));
        // Lettuce may lose a refusal, and report only that the server closes the connection.
        await().untilAsserted(() -> assertThat(remedyAtTheStart(uri)).contains("ACL SETUSER <user> +select "));
    }

    @Test
    void startsWithAWarningWhenHistoriesAreNotNamed() {
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            backend.start();
            assertThat(backend.guard()).isEqualTo(Guard.GUARDED);
        }
        grant(Stream.of("~lock:*", "&lock:*", "-info"));
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            backend.start();
            assertThat(backend.guard()).isEqualTo(Guard.DEGRADED);
            new BackendUser(backend).granted(token("a", 1));
            assertThat(backend.guard()).isEqualTo(Guard.DEGRADED);
        }
    }

    @Test
    void theCheckLeavesNothingBehind() {
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            backend.start();
        }
        assertThat(REDIS.server().commands().keys("*")).isEmpty();
    }

    @Test
    void startsOnAJustPromotedServerAndKeepsItsMarker() {
        RedisCommands<String, String> redis = REDIS.server().commands();
        redis.replicaof("127.0.0.1", 1);
        redis.replicaofNoOne();
        redis.set("lock:history", "as it was");
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            backend.start();
            assertThat(backend.guard()).isEqualTo(Guard.GUARDED);
        }
        assertThat(redis.keys("*")).containsExactly("lock:history");
        assertThat(redis.get("lock:history")).isEqualTo("as it was");
    }

    @Test
    void theStartNamesMissingKeyPatterns() {
        grant(Stream.of("~other:*", "&lock:*"));
        saysAtTheStart("~lock:*");
        startsAsAdvised();
    }

    @Test
    void theStartNamesMissingChannelPatterns() {
        assumeThat(RedisServer.isBefore(6, 2)).isFalse();
        grant(Stream.of("~lock:*", "&other:*"));
        saysAtTheStart("&lock:*");
        startsAsAdvised();
    }

    @Test
    void aCommandNamesTheRightThatWasRevokedLater() {
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            BackendUser user = new BackendUser(backend);
            user.granted(token("a", 1));
            REDIS.server().grantDefaultUser("-set", "-pexpire");
            user.release(token("a", 1), 0);
            assertThat(user.acquire(token("a", 2)))
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .contains("refused")
                            .doesNotContain("ACL SETUSER"));
        }
    }

    @Test
    void neverMistakesAMissingRightForALostLock() {
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            BackendUser user = new BackendUser(backend);
            user.granted(token("a", 1));
            REDIS.server().grantDefaultUser("-get");
            assertThat(user.renew(token("a", 1), BackendUser.LEASE)).isInstanceOf(RenewResult.Unknown.class);
        }
    }

    @Test
    void theFailureSaysThatThePasswordIsMissing() {
        REDIS.server().grantDefaultUser("resetpass", ">s3cret");
        assertThat(remedyAtTheStart(REDIS.server().uri())).contains("spring.data.redis.password");
    }

    @Test
    void theFailureSaysThatThePasswordIsWrongWithoutShowingIt() {
        REDIS.server().grantDefaultUser("resetpass", ">s3cret");
        RedisURI uri = REDIS.server().uri();
        uri.setAuthentication("wr0ng");
        try (RedisLockBackend backend = backend(uri)) {
            assertThatExceptionOfType(RedisUnavailableException.class)
                    .isThrownBy(backend::start)
                    .satisfies(e -> assertThat(e.remedy()).contains("spring.data.redis.password"))
                    .satisfies(e -> assertThat(e.getMessage() + e.remedy()).doesNotContain("wr0ng", "s3cret"));
        }
    }

    @Test
    void theFailureNamesTheAddressOfAMissingServer() {
        REDIS.server().stop();
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            assertThatExceptionOfType(RedisUnavailableException.class)
                    .isThrownBy(backend::start)
                    .withMessageContaining(
                            REDIS.server().host() + ":" + REDIS.server().port())
                    .satisfies(e -> assertThat(e.remedy()).contains("spring.data.redis.host"));
            assertThat(new BackendUser(backend).acquire(token("a", 1))).isInstanceOf(AcquireResult.Rejected.class);
            REDIS.server().restart();
            assertThat(new BackendUser(backend).acquire(token("a", 2))).isInstanceOf(AcquireResult.Granted.class);
        }
    }

    private String advice = "";

    private void saysAtTheStart(String right) {
        advice = remedyAtTheStart(REDIS.server().uri());
        assertThat(advised()).contains(right).allMatch(rule -> "~&+".indexOf(rule.charAt(0)) >= 0);
    }

    private static String remedyAtTheStart(RedisURI uri) {
        try (RedisLockBackend backend = backend(uri)) {
            backend.listen("a", new RecordedSignals());
            return assertThatExceptionOfType(RedisUnavailableException.class)
                    .isThrownBy(backend::start)
                    .actual()
                    .remedy();
        }
    }

    private void startsAsAdvised() {
        REDIS.server().grantDefaultUser(advised());
        try (RedisLockBackend backend = backend(REDIS.server().uri())) {
            backend.listen("a", new RecordedSignals());
            assertThatNoException().isThrownBy(backend::start);
        }
    }

    /** As an operator would who copies the command. */
    private String[] advised() {
        Matcher command =
                Pattern.compile("ACL SETUSER \\S+ (.+) \\(all that locks need").matcher(advice);
        assertThat(command.find()).isTrue();
        return command.group(1).split(" ");
    }

    private static void asUser(Consumer<RedisCommands<String, String>> action) {
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            action.accept(client.connect().sync());
        }
    }

    private static void grant(Stream<String> rights) {
        List<String> lines = rights.toList();
        Stream<String> patterns = lines.stream().filter(right -> !right.startsWith("-"));
        Stream<String> least = Stream.of(BackendUser.LEAST_RIGHTS.split(" "));
        Stream<String> taken = lines.stream().filter(right -> right.startsWith("-"));
        REDIS.server()
                .grantDefaultUser(Stream.of(
                                Stream.of("reset", "on", "nopass", "resetkeys", "resetchannels"),
                                patterns,
                                least,
                                taken)
                        .flatMap(part -> part)
                        .toArray(String[]::new));
    }

    private static RedisLockBackend backend(RedisURI uri) {
        return new RedisLockBackend(new DirectRedisConnector(uri, RedisStore.DEFAULTS), RedisStore.DEFAULTS);
    }
}
