package io.github.lockstarter.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.PermitsContract;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.RecordedSignals;
import io.github.lockstarter.redis.connection.RoutingProxy;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The Redis backend, on a server whose scripts may use only the keys of their call, as Dragonfly by default. The
 * simulation looks for undeclared keys in every episode; permits have the most keys.
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
            """;

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
    void saysWhyLocksOfCrashedOwnersAreLeftToTheirLeases() {
        try (RedisStore store = store()) {
            LockBackend backend = store.connect();
            backend.listen("a".repeat(32), new RecordedSignals());
            await().untilAsserted(() -> {
                backend.state().toCompletableFuture().join();
                backend.crashDetection().orElseThrow().beat(List.of());
                assertThat(backend.crashTakeover().state()).isEqualTo(CrashTakeover.State.OFF);
            });
            assertThat(backend.crashTakeover().reason())
                    .contains("script tried accessing undeclared key", "takes no locks over");
            assertThat(backend.crashTakeover().remedy()).contains("allow-undeclared-keys");
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
