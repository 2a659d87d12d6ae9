package io.github.lockstarter.redis.contract;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.PermitsContract;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.RecordedSignals;
import io.github.lockstarter.redis.connection.RoutingProxy;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeoverCondition;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The Redis backend, on a server whose scripts may use only the keys of their call, as Dragonfly by default, and whose
 * functions take no text for a number, as those of its Lua 5.4. The simulation looks for undeclared keys in every
 * episode; permits have the most keys here, readers among all suites.
 */
class DeclaredKeysContractIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String RESTRICTION = """
            local declared, theirs, redis = {}, redis, {}
            for _, key in ipairs(KEYS) do
              declared[key] = true
            end
            local last = {MGET = true, DEL = true, EXISTS = true}
            local without = {PUBLISH = true, PUBSUB = true, INFO = true, TIME = true}
            local function refusal(name, ...)
              local words = {...}
              for i = 1, without[name] and 0 or last[name] and #words or 1 do
                if not declared[words[i]] then
                  return {err = 'ERR script tried accessing undeclared key'}
                end
              end
            end
            function redis.call(...)
              local refused = refusal(...)
              if refused then
                error(refused)
              end
              return theirs.call(...)
            end
            function redis.pcall(...)
              return refusal(...) or theirs.pcall(...)
            end
            redis.sha1hex = theirs.sha1hex
            local function ofNumbers(name, of)
              return function(...)
                for _, value in ipairs({...}) do
                  if type(value) ~= 'number' then
                    error('bad argument to ' .. name)
                  end
                end
                return of(...)
              end
            end
            local math = {
              max = ofNumbers('max', math.max), min = ofNumbers('min', math.min),
              floor = ofNumbers('floor', math.floor), ceil = ofNumbers('ceil', math.ceil), huge = math.huge
            }
            """;

    private static final String KEY = "order:42";
    private static final LockToken HEIR = new LockToken("b".repeat(32), 1);
    private static final LockToken CRASHED =
            new LockToken("a".repeat(32), 1, "main", 1_700_000_000_000L, 100, TakeoverCondition.NONE);

    private static RoutingProxy proxy;

    @BeforeAll
    static void restrict() throws IOException {
        proxy = new RoutingProxy(List.of(REDIS.server()), true, script -> RESTRICTION + script);
    }

    @AfterAll
    static void close() throws IOException {
        proxy.close();
    }

    private static RedisStore store() {
        return new RedisStore(RedisURI.create("127.0.0.1", proxy.port()));
    }

    @Test
    void takesOverTheLockOfACrashedOwner() {
        try (RedisStore store = store()) {
            LockBackend backend = store.connect();
            backend.listen(HEIR.instanceId(), new RecordedSignals());
            answer(backend.attemptAcquire(attempt(CRASHED)));
            AtomicReference<AcquireResult> last = new AtomicReference<>();
            await().until(() -> {
                last.set(answer(backend.attemptAcquire(attempt(HEIR))));
                return last.get() instanceof AcquireResult.Granted;
            });
            assertThat(((AcquireResult.Granted) last.get()).takenOverFrom()).isPresent();
            assertThat(answer(backend.crashDetection().orElseThrow().beat(List.of(KEY))))
                    .isPresent();
            assertThat(backend.crashTakeover().state()).isEqualTo(CrashTakeover.State.ON);
        }
    }

    private static AcquireCommand attempt(LockToken token) {
        return new AcquireCommand(KEY, token, Duration.ofMinutes(1), 0, 1, Optional.empty());
    }

    /** The control. */
    @Test
    void refusesAKeyThatACallDoesNotDeclare() {
        try (RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", proxy.port()))) {
            RedisCommands<String, String> redis = client.connect().sync();
            assertThatThrownBy(() -> redis.eval("return redis.call('GET', 'other')", ScriptOutputType.VALUE, KEY))
                    .hasMessageContaining("undeclared key");
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
            super(DeclaredKeysContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class All extends StoreSuites {
        @Override
        protected LockStore store() {
            return DeclaredKeysContractIT.store();
        }

        @Override
        protected LockStore hastyStore() {
            return store();
        }
    }
}
