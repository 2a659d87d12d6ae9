package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeoverCondition;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Lock tokens with the name of their thread, and the cache of the highest fencing tokens. */
class EngineTokensTests {

    private final EngineClock clock = new EngineClock(System::nanoTime, () -> Instant.ofEpochMilli(1_700_000_000_000L));
    private final EngineTokens tokens = new EngineTokens(clock, EngineSettings.DEFAULTS, new Random(1));

    @Test
    void tokensNameTheThreadAndTheTimeOfTheAttempt() {
        LockToken token = tokens.next("http-1", 0, TakeoverCondition.NONE);

        assertThat(token.value()).matches("[0-9a-f]{32}:[1-9][0-9]{1,18}\\|1700000000000 http-1");
    }

    @Test
    void tokensNameTheHostOfTheInstance() {
        EngineSettings settings = EngineSettings.DEFAULTS.at("pod-7/orders");

        assertThat(new EngineTokens(clock, settings, new Random(1))
                        .next("http-1", 0, TakeoverCondition.NONE)
                        .value())
                .endsWith("|1700000000000 http-1@pod-7/orders");
        assertThat(new EngineTokens(clock, settings.withoutOwner(), new Random(1))
                        .next("http-1", 0, TakeoverCondition.NONE)
                        .value())
                .matches("[0-9a-f]{32}:[1-9][0-9]{1,18}");
    }

    @Test
    void tokensNameOnlyTheInstanceWhenConfigured() {
        LockToken token = new EngineTokens(clock, EngineSettings.DEFAULTS.withoutOwner(), new Random(1))
                .next("http-1", 0, TakeoverCondition.NONE);

        assertThat(token.value()).matches("[0-9a-f]{32}:[1-9][0-9]{1,18}");
        assertThat(token.tellsOwner()).isFalse();
        assertThat(token.holder().owner()).isEmpty();
    }

    @Test
    void copiesOfOneInstanceHaveDifferentTokens() {
        LockToken original = new EngineTokens(clock, EngineSettings.DEFAULTS, new Copied()).next();
        LockToken copy = new EngineTokens(clock, EngineSettings.DEFAULTS, new Copied()).next();

        assertThat(copy.instanceId()).isEqualTo(original.instanceId());
        assertThat(copy.value()).isNotEqualTo(original.value());
    }

    @Test
    void aNewInstanceRemembersTheTokensOfTheFormerOne() {
        tokens.granted("order:42", 9);

        EngineTokens next = tokens.ofNewInstance();

        assertThat(next.instanceId()).isNotEqualTo(tokens.instanceId());
        assertThat(next.highest("order:42")).isEqualTo(9);
    }

    /** The identity that was drawn before the copy, and numbers that are drawn after it. */
    private static final class Copied implements RandomGenerator {

        private final SecureRandom own = new SecureRandom();

        @Override
        public void nextBytes(byte[] bytes) {
            new Random(1).nextBytes(bytes);
        }

        @Override
        public long nextLong() {
            return own.nextLong();
        }
    }

    @Test
    void remembersTheHighestTokenPerKeyDespiteEqualHashCodes() {
        tokens.granted("Aa", 9);
        assertThat(tokens.highest("Aa")).isEqualTo(9);
        assertThat(tokens.highest("BB")).isZero();
    }

    @Test
    void remembersTheHighestTokenPerLongKey() {
        String prefix = "x".repeat(10_000);
        tokens.granted(prefix + "a", 9);
        tokens.granted(prefix + "a", 7);
        assertThat(tokens.highest(prefix + "a")).isEqualTo(9);
        assertThat(tokens.highest(prefix + "b")).isZero();
    }

    @Test
    void longKeysTakeLittleMemory() {
        long before = used();
        for (int i = 0; i < 8_192; i++) {
            tokens.granted(i + "x".repeat(16_384), i);
        }
        assertThat(used() - before).as("bytes").isLessThan(16_000_000);
        assertThat(tokens.highest(8_191 + "x".repeat(16_384))).isEqualTo(8_191);
    }

    private static long used() {
        System.gc();
        Runtime memory = Runtime.getRuntime();
        return memory.totalMemory() - memory.freeMemory();
    }

    @Test
    void theHighestTokenNeverFalls() {
        tokens.granted("order:42", 9);
        tokens.granted("order:42", 7);
        assertThat(tokens.highest("order:42")).isEqualTo(9);
    }

    @Test
    void evictsTheLeastRecentlyUsedKey() {
        tokens.granted("often", 9);
        tokens.granted("once", 8);
        for (int i = 0; i < 100_000; i++) {
            tokens.granted("other:" + i, i);
            tokens.granted("often", 9);
        }
        assertThat(tokens.highest("often")).isEqualTo(9);
        assertThat(tokens.highest("once")).isZero();
        assertThat(tokens.highest("other:99999")).isEqualTo(99_999);
    }
}
