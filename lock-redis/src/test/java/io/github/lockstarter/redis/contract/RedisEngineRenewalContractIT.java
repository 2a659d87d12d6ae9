package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.EngineRenewalContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Apart from {@link RedisEngineContractIT}, since it waits for leases to end: forks run the two side by side. */
@Tag(Effort.FULL)
class RedisEngineRenewalContractIT extends EngineRenewalContract {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    RedisEngineRenewalContractIT() {
        super(RedisEngineRenewalContractIT::store);
    }

    private static LockStore store() {
        return RedisStore.withClockOf(REDIS.server()).with(RedisStore.patient(Duration.ofSeconds(2)));
    }
}
