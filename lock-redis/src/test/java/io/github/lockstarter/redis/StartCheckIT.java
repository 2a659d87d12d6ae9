package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.redis.settings.RedisSettings.SingleMaster;
import io.github.lockstarter.spi.AcquireResult;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Servers that do not execute what the locks need: the start fails with the cause and the cure, and leaves no key. */
class StartCheckIT {

    static final List<String> REQUIRED = ScriptCommands.required();

    private static final RedisSettings SETTINGS = RedisStore.DEFAULTS;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Test
    void readsTheCommandsOfAllScripts() {
        assertThat(REQUIRED).contains("SET", "INCRBY", "ZSCORE", "ZPOPMIN", "PUBLISH");
        assertThat(ScriptCommands.all()).containsAll(ScriptCommands.OPTIONAL);
    }

    @ParameterizedTest
    @FieldSource("REQUIRED")
    void namesACommandThatTheServerDoesNotHave(String command) {
        try (RedisServer server = without(command)) {
            assertThat(refusal(server)).hasMessageContaining(command).satisfies(e -> assertThat(e.remedy())
                    .startsWith("The server has no " + command + ": remove its rename-command"));
        }
    }

    @ParameterizedTest
    @CsvSource({"EVAL", "EVALSHA"})
    void saysThatTheServerExecutesNoScripts(String command) {
        try (RedisServer server = without(command)) {
            assertThat(refusal(server).remedy())
                    .startsWith(
                            "The server does not execute the scripts: remove the rename-command of EVAL and EVALSHA");
        }
    }

    @Test
    void startsWithoutTheHistoryOfTheServer() {
        try (RedisServer server = without("INFO");
                RedisLockBackend backend = backend(server, SETTINGS)) {
            backend.start();
            assertThat(backend.guard()).isEqualTo(Guard.DEGRADED);
        }
    }

    @Test
    void startsWithoutTheNumberOfSubscribers() {
        try (RedisServer server = without("PUBSUB");
                RedisLockBackend backend = backend(server, SETTINGS)) {
            backend.listen("a", new RecordedSignals());
            backend.start();
            assertThat(backend.warnings()).isEmpty();
        }
    }

    /** As on Dragonfly and Garnet: the note of a recent check, which no replica may get, is not written. */
    @Test
    void grantsLocksWithoutSetRepl() {
        assumeThat(RedisServer.hasText("\0set_repl\0")).isTrue();
        try (RedisServer server = RedisServer.startAltered("\0set_repl\0", "\0no_repl_\0");
                RedisLockBackend backend = backend(server, SETTINGS)) {
            assertThat(server.commands().<String>eval("return type(redis.set_repl)", ScriptOutputType.VALUE))
                    .isEqualTo("nil");
            backend.start();
            BackendUser user = new BackendUser(backend);
            for (int number = 1; number <= 3; number++) {
                assertThat(user.acquire(token("a", number))).isInstanceOf(AcquireResult.Granted.class);
                user.release(token("a", number), 0);
            }
            assertThat(server.commands().keys("*")).containsExactlyInAnyOrder("lock:fence", "lock:history");
        }
    }

    /** Only the second slot of a lock ends with 1: the scripts derive its key, and the call does not declare it. */
    @Test
    void leavesNothingBehindWhenAScriptIsRefused() {
        RedisServer server = REDIS.server();
        server.grantDefaultUser("resetkeys", "~lock:*[^1]");
        assertThat(refusal(server).remedy()).contains("~lock:*");
        assertThat(server.commands().keys("*")).isEmpty();
    }

    /** The client sends a forgotten script again, so commands that follow at once would overtake it. */
    @Test
    void startsAlthoughTheServerForgetsScripts() {
        RedisServer server = REDIS.server();
        ForgettingScripts connector =
                new ForgettingScripts(new DirectRedisConnector(server.uri(), SETTINGS), new AtomicInteger());
        try (RedisLockBackend backend = new RedisLockBackend(connector, SETTINGS)) {
            backend.start();
        }
        assertThat(connector.calls).hasPositiveValue();
        assertThat(server.commands().keys("*")).isEmpty();
    }

    /** At every second call by digest the server knows no script, and then it knows all. */
    private record ForgettingScripts(RedisConnector connector, AtomicInteger calls) implements RedisConnector {

        @Override
        @SuppressWarnings("unchecked")
        public StatefulConnection<String, String> connect() {
            StatefulRedisConnection<String, String> open =
                    (StatefulRedisConnection<String, String>) connector.connect();
            return (StatefulConnection<String, String>) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {StatefulRedisConnection.class},
                    (self, method, arguments) -> {
                        boolean forgets = arguments != null
                                && arguments[0] instanceof RedisCommand<?, ?, ?> command
                                && command.getType() == CommandType.EVALSHA
                                && calls.incrementAndGet() % 2 == 1;
                        if (forgets) {
                            open.async().scriptFlush();
                        }
                        Object result = method.invoke(open, arguments);
                        if (forgets) {
                            Stream.of(LockScript.values())
                                    .forEach(script -> open.async().scriptLoad(script.text()));
                        }
                        return result;
                    });
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return connector.connectPubSub();
        }

        @Override
        public ScheduledExecutorService loop() {
            return connector.loop();
        }

        @Override
        public Target target() {
            return connector.target();
        }

        @Override
        public void close() {
            connector.close();
        }
    }

    @Test
    void warnsThatScriptsMayNotPublish() {
        assumeThat(RedisServer.isBefore(6, 2)).isFalse();
        REDIS.server().grantDefaultUser("resetchannels", "&lock:mailbox:*");
        try (RedisLockBackend backend = backend(REDIS.server(), SETTINGS)) {
            backend.start();
            assertThat(backend.warnings())
                    .singleElement()
                    .asString()
                    .contains("refuses PUBLISH inside scripts", "(signals none)", "distributed-lock.retry.max-delay");
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "# Replication\\r\\nrole:%s\\r\\n,      #\\r\\nrole:active-replica\\r\\n,       role:active-replica",
                "# Clients\\r\\nconnected_clients:, # CRDT \\r\\ncrdt_config_version:, crdt_config_version:",
            })
    void refusesAServerThatIsOneOfSeveralMasters(String text, String replacement, String field) {
        assumeThat(RedisServer.hasText(text.translateEscapes())).isTrue();
        try (RedisServer server = RedisServer.startAltered(text.translateEscapes(), replacement.translateEscapes())) {
            try (RedisLockBackend backend = backend(server, SETTINGS)) {
                assertThatExceptionOfType(SeveralMastersException.class)
                        .isThrownBy(backend::start)
                        .withMessageContaining("is one of several masters that replicate each other (" + field)
                        .satisfies(e -> assertThat(e.remedy())
                                .contains("Active-Active", "distributed-lock.redis.active-active=false"));
                assertGrantsNothing(backend, field);
            }
            assertThat(server.commands().keys("*")).isEmpty();
            RedisSettings declared = new RedisSettings(
                    SETTINGS.keyPrefix(),
                    SETTINGS.commandTimeout(),
                    SETTINGS.guard(),
                    SingleMaster.DECLARED,
                    KeyLayout.AUTO);
            try (RedisLockBackend backend = backend(server, declared)) {
                backend.start();
                assertThat(answer(backend.state()).failure()).isEmpty();
            }
        }
    }

    /** A bean may lock before the start check; or the server was unreachable then. */
    @Test
    void grantsNothingAtOneOfSeveralMastersWithoutAStart() {
        String text = "# Clients\r\nconnected_clients:";
        assumeThat(RedisServer.hasText(text)).isTrue();
        try (RedisServer server = RedisServer.startAltered(text, "# CRDT \r\ncrdt_config_version:");
                RedisLockBackend backend = backend(server, SETTINGS)) {
            assertGrantsNothing(backend, "crdt_config_version:");
        }
    }

    private static void assertGrantsNothing(RedisLockBackend backend, String field) {
        assertThat(new BackendUser(backend).acquire(token("a", 1)))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains(field)
                        .doesNotContain("active-active"));
        assertThat(answer(backend.state()).failure())
                .hasValueSatisfying(failure -> assertThat(failure).contains(field, "active-active=false"));
    }

    private static RedisServer without(String command) {
        return RedisServer.start("--rename-command", command, "");
    }

    private static RedisUnavailableException refusal(RedisServer server) {
        try (RedisLockBackend backend = backend(server, SETTINGS)) {
            return assertThatExceptionOfType(RedisUnavailableException.class)
                    .isThrownBy(backend::start)
                    .actual();
        }
    }

    private static RedisLockBackend backend(RedisServer server, RedisSettings settings) {
        return new RedisLockBackend(new DirectRedisConnector(server.uri(), settings), settings);
    }
}
