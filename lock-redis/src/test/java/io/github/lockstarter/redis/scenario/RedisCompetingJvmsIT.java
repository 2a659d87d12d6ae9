package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.contract.CompetingJvm;
import io.github.lockstarter.contract.CompetingJvmsContract;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.lettuce.core.RedisURI;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisCompetingJvmsIT extends CompetingJvmsContract {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    RedisCompetingJvmsIT() {
        super(RedisCompetingJvmsIT.class, () -> new RedisStore(REDIS.server().uri()));
    }

    public static void main(String[] arguments) {
        CompetingJvm.run(arguments, (lease, address) -> new RedisStore(
                        RedisURI.create(address.get(0), Integer.parseInt(address.get(1))))
                .connect());
    }

    @Override
    protected List<String> address() {
        return List.of(REDIS.server().host(), Integer.toString(REDIS.server().port()));
    }

    @Override
    protected void assertNothingLeft() {
        RedisScenario.assertOnlyFencesLeft(REDIS.server());
    }
}
