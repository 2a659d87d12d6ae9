package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A fencing token far ahead of the clock, as a moment of a wrong server clock leaves it behind. */
class FencingTokenAheadOfClockIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final Duration TEN_YEARS = Duration.ofDays(3_650);
    private static final String FENCE = "lock:fence";
    private static final String KEY = "order:42";
    private static final String OTHER = "order:43";

    private RedisStore store;
    private RedisCommands<String, String> redis;
    private long ahead;

    @BeforeEach
    void connect() {
        store = new RedisStore(REDIS.server().uri()).with(RedisStore.guarding(Duration.ZERO));
        redis = REDIS.server().commands();
        List<String> time = redis.time();
        ahead = Long.parseLong(time.get(0)) * 1_000_000 + TEN_YEARS.toMillis() * 1_000;
        redis.set(FENCE, Long.toString(ahead));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void nextTokensOfAllKeysExceedATokenFarAheadOfTheClock() {
        try (Application application = Application.over(store.connect())) {
            assertThat(fencingToken(application, KEY)).isGreaterThan(ahead);
            assertThat(fencingToken(application, OTHER)).isGreaterThan(ahead + 1);
        }
    }

    @Test
    void anInstanceThatSawTheTokenExceedsItEvenIfTheServerHasForgottenIt() {
        try (Application application = Application.over(store.connect())) {
            long seen = fencingToken(application, KEY);
            redis.del(FENCE);
            assertThat(fencingToken(application, KEY)).isGreaterThan(seen);
        }
    }

    /** Each instance sends the highest token that it knows of this key only. */
    @Test
    void otherKeysFollowTheClockOnceTheServerHasForgottenTheToken() {
        try (Application application = Application.over(store.connect())) {
            fencingToken(application, KEY);
            redis.del(FENCE);
            assertThat(fencingToken(application, OTHER)).isLessThan(ahead - TEN_YEARS.toMillis() * 500);
        }
    }

    private static long fencingToken(Application application, String key) {
        try (LockHandle lock = application.locks().acquire(key)) {
            return lock.fencingToken();
        }
    }
}
