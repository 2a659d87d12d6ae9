package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two engines that continue from one image of the memory, such as a restored checkpoint or a cloned machine: they have
 * the same instance id, and draw the number of each attempt after the copy.
 */
class CopiedInstanceIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final int ROUNDS = 20;

    private final String key = "copied:" + UUID.randomUUID();
    private final LockStore store =
            new RedisStore(REDIS.server().uri()).with(RedisStore.patient(Duration.ofSeconds(2)));

    /** The identity from before the copy; the numbers of a generator whose state was copied, or was not. */
    private record Copied(RandomGenerator numbers) implements RandomGenerator {

        @Override
        public void nextBytes(byte[] bytes) {
            new Random(1).nextBytes(bytes);
        }

        @Override
        public long nextLong() {
            return numbers.nextLong();
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void copiesOfOneInstanceNeverOwnALockTogether() {
        assertThat(roundsWithTwoOwners(new SecureRandom(), new SecureRandom())).isZero();
    }

    /** Control. */
    @Test
    void theCheckFindsTwoOwnersIfTheNumbersAreCopiedToo() {
        assertThat(roundsWithTwoOwners(new Random(2), new Random(2))).isEqualTo(ROUNDS);
    }

    private long roundsWithTwoOwners(RandomGenerator one, RandomGenerator another) {
        try (LockEngine original = engine(one);
                LockEngine copy = engine(another)) {
            return IntStream.range(0, ROUNDS)
                    .filter(round -> bothOwn(original, copy, key + round))
                    .count();
        }
    }

    private static boolean bothOwn(LockEngine original, LockEngine copy, String key) {
        LockHandle held = original.acquire(LockRequest.of(key));
        Optional<LockHandle> second = copy.tryAcquire(LockRequest.of(key));
        boolean areBothHeld =
                held.isHeld() && second.isPresent() && second.get().isHeld();
        held.release();
        second.ifPresent(LockHandle::release);
        return areBothHeld;
    }

    private LockEngine engine(RandomGenerator numbers) {
        EngineEnvironment usual = EngineEnvironment.of(EngineClock.SYSTEM);
        EngineEnvironment copied = new EngineEnvironment(
                usual.clock(),
                usual.newTimer(),
                usual.newLossExecutor(),
                usual.newCallbackExecutor(),
                usual.newCompletionExecutor(),
                new Copied(numbers),
                usual.jitter());
        return new LockEngine(store.connect(), EngineSettings.DEFAULTS.withoutOwner(), List.of(), copied);
    }
}
