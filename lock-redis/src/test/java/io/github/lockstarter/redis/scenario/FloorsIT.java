package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.testing.RedisExtension;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A fencing token far ahead of the clock, as a moment of a wrong server clock leaves it behind. */
class FloorsIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final Duration TEN_YEARS = Duration.ofDays(3_650);
    private static final Duration LONGEST_MEMORY = Duration.ofDays(2);

    /** Two names with one hash code. */
    private static final String AHEAD = "order:Aa";

    private static final String OTHER = "order:BB";

    private RedisStore store;
    private RedisCommands<String, String> redis;
    private long ahead;

    @BeforeEach
    void connect() {
        store = new RedisStore(REDIS.server().uri()).with(RedisStore.guarding(Duration.ZERO));
        redis = REDIS.server().commands();
        List<String> time = redis.time();
        ahead = Long.parseLong(time.get(0)) * 1_000_000 + TEN_YEARS.toMillis() * 1_000;
        redis.psetex(fence(AHEAD), TEN_YEARS.toMillis(), Long.toString(ahead));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void isExceededByTheNextOneOfItsKeyWhoseMemoryIsBounded() {
        try (Application application = Application.over(store.connect())) {
            assertThat(fencingToken(application, AHEAD)).isGreaterThan(ahead);
            assertThat(memory(AHEAD)).isLessThanOrEqualTo(LONGEST_MEMORY);
            assertThat(fencingToken(application, AHEAD)).isGreaterThan(ahead + 1);
            assertThat(memory(AHEAD)).isBetween(LONGEST_MEMORY.minusMinutes(1), LONGEST_MEMORY);
        }
    }

    @Test
    void isExceededAlsoWhenTheServerHasForgottenItByAnInstanceThatSawIt() {
        try (Application application = Application.over(store.connect())) {
            long seen = fencingToken(application, AHEAD);
            redis.del(fence(AHEAD));
            assertThat(fencingToken(application, AHEAD)).isGreaterThan(seen);
            assertThat(memory(AHEAD)).isLessThanOrEqualTo(LONGEST_MEMORY);
        }
    }

    @Test
    void raisesThoseOfNoOtherKey() {
        try (Application application = Application.over(store.connect())) {
            fencingToken(application, AHEAD);
            assertThat(fencingToken(application, OTHER)).isLessThan(ahead - TEN_YEARS.toMillis() * 500);
            assertThat(memory(OTHER)).isLessThanOrEqualTo(Duration.ofHours(37));
        }
    }

    @Test
    void isCarriedToNoOtherKeyByAnotherInstance() {
        try (Application application = Application.over(store.connect());
                Application another = Application.over(store.connect())) {
            fencingToken(application, AHEAD);
            fencingToken(another, AHEAD);
            assertThat(fencingToken(another, OTHER)).isLessThan(ahead - TEN_YEARS.toMillis() * 500);
            assertThat(memory(OTHER)).isLessThanOrEqualTo(Duration.ofHours(37));
        }
    }

    private static long fencingToken(Application application, String key) {
        try (LockHandle lock = application.locks().acquire(key)) {
            return lock.fencingToken();
        }
    }

    private Duration memory(String key) {
        return Duration.ofMillis(redis.pttl(fence(key)));
    }

    private static String fence(String key) {
        return "lock:{" + key + "}:fence";
    }
}
