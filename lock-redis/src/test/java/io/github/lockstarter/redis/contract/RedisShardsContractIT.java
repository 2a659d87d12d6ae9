package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.FencingTokenRaiseContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The Redis backend, on shards behind one address, against the contract. In each build, {@code LayoutDecisionIT} guards
 * the layout.
 */
@Tag(Effort.FULL)
class RedisShardsContractIT extends StoreSuites {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension("--cluster-enabled", "yes");

    @Override
    protected LockStore store() {
        return RedisStore.ofShards(REDIS.server());
    }

    @Override
    protected LockStore hastyStore() {
        return RedisStore.ofShards(REDIS.server())
                .with(RedisStore.guarding(Duration.ofSeconds(2), Duration.ofSeconds(1)));
    }

    @Nested
    class FencingTokenRaise extends FencingTokenRaiseContract {
        FencingTokenRaise() {
            super(RedisShardsContractIT.this::store);
        }
    }
}
