package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.lettuce.core.api.sync.RedisCommands;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two engines that continue from one image of the memory, such as a restored checkpoint or a cloned machine: they have
 * the same instance id until they start again, and draw the number of each attempt after the copy.
 */
class CopiedInstanceIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final int ROUNDS = 20;

    private final String key = "copied:" + UUID.randomUUID();
    private final LockStore store = new RedisStore(REDIS.server().uri());

    /**
     * Draws the first identity before the copy, and all that follows from a generator whose state was copied, or was
     * not.
     */
    private static final class Copied implements RandomGenerator {

        private final RandomGenerator numbers;
        private final AtomicBoolean isCopied = new AtomicBoolean();

        Copied(RandomGenerator numbers) {
            this.numbers = numbers;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            (isCopied.getAndSet(true) ? numbers : new Random(1)).nextBytes(bytes);
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

    @Test
    void copiesThatStartAgainHaveMailboxesOfTheirOwn() {
        assertThat(mailboxesAfterTheRestore(new SecureRandom(), new SecureRandom()))
                .isEqualTo(2);
    }

    /** Control. */
    @Test
    void theCheckFindsOneMailboxIfTheIdentitiesAreCopiedToo() {
        assertThat(mailboxesAfterTheRestore(new Random(2), new Random(2))).isOne();
    }

    /** The image is taken of a drained engine, as in a checkpoint of Spring. */
    private long mailboxesAfterTheRestore(RandomGenerator one, RandomGenerator another) {
        try (LockEngine original = engine(one);
                LockEngine copy = engine(another)) {
            List<LockEngine> copies = List.of(original, copy);
            Set<String> before = mailboxesOf(copies);
            assertThat(before).hasSize(1);
            copies.forEach(engine -> engine.drain().join());

            copies.forEach(LockEngine::start);

            Set<String> after = mailboxesOf(copies);
            assertThat(after).doesNotContainAnyElementsOf(before);
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(before).allMatch(former -> subscribers(former) == 0));
            assertThat(after.stream().mapToLong(CopiedInstanceIT::subscribers).sum())
                    .isEqualTo(2);
            return after.size();
        }
    }

    /** In use: a command is sent behind the subscription. */
    private Set<String> mailboxesOf(List<LockEngine> engines) {
        return engines.stream()
                .map(engine -> {
                    try (LockHandle held = engine.acquire(LockRequest.of(key))) {
                        return held.isHeld() ? engine.admin().instance() : "";
                    }
                })
                .collect(Collectors.toSet());
    }

    private static long subscribers(String instance) {
        RedisCommands<String, String> redis = REDIS.server().commands();
        return redis.pubsubChannels("lock:mailbox:" + instance + "*").stream()
                .mapToLong(channel -> redis.pubsubNumsub(channel).get(channel))
                .sum();
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
        boolean bothHeld = held.isHeld() && second.isPresent() && second.get().isHeld();
        held.release();
        second.ifPresent(LockHandle::release);
        return bothHeld;
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
        // Without takeover, since the tokens of the copies would differ until the beats of both are answered.
        EngineSettings settings = EngineSettings.DEFAULTS.withoutOwner().withCrashTakeover(Duration.ZERO);
        return new LockEngine(store.connect(), settings, List.of(), copied);
    }
}
