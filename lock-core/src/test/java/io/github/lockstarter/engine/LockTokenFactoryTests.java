package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeOverCondition;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the store is told of the thread that asks for a lock. */
class LockTokenFactoryTests {

    private final EngineClock clock = new EngineClock(System::nanoTime, () -> Instant.ofEpochMilli(1_700_000_000_000L));

    @Test
    void tellWhichThreadMakesTheAttemptAndWhen() {
        LockToken token = new LockTokenFactory(clock, EngineSettings.DEFAULTS, new Random(1))
                .next("http-1", 0, TakeOverCondition.NONE);

        assertThat(token.value()).matches("[0-9a-f]{32}:1\\|1700000000000 http-1");
    }

    @Test
    void tellWhereTheInstanceRuns() {
        EngineSettings settings = EngineSettings.DEFAULTS.at("pod-7/orders");

        assertThat(new LockTokenFactory(clock, settings, new Random(1))
                        .next("http-1", 0, TakeOverCondition.NONE)
                        .value())
                .endsWith("|1700000000000 http-1@pod-7/orders");
        assertThat(new LockTokenFactory(clock, settings.withoutOwner(), new Random(1))
                        .next("http-1", 0, TakeOverCondition.NONE)
                        .value())
                .matches("[0-9a-f]{32}:1");
    }

    @Test
    void tellOnlyTheInstanceIfThatIsWanted() {
        LockToken token = new LockTokenFactory(clock, EngineSettings.DEFAULTS.withoutOwner(), new Random(1))
                .next("http-1", 0, TakeOverCondition.NONE);

        assertThat(token.value()).matches("[0-9a-f]{32}:1");
        assertThat(token.tellsOwner()).isFalse();
        assertThat(token.holder().owner()).isEmpty();
    }
}
