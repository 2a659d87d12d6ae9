package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.FencingTokenRaiseContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.kit.redis.RedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis backend, on one server, against the contract. */
class RedisBackendContractIT extends StoreSuites {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Override
    protected LockStore store() {
        return new RedisStore(REDIS.server().uri());
    }

    @Override
    protected LockStore hastyStore() {
        return RedisStore.on(REDIS.server()).with(RedisStore.guarding(Duration.ofSeconds(2), Duration.ofSeconds(1)));
    }

    @Nested
    class FencingTokenRaise extends FencingTokenRaiseContract {
        FencingTokenRaise() {
            super(RedisBackendContractIT.this::store);
        }
    }
}
