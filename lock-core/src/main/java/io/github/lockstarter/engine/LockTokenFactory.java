package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeOverCondition;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Makes lock tokens: a random instance identity, drawn when the client is made, and a counter. */
final class LockTokenFactory {

    private static final int RANDOM_BYTES = 16;

    private final String instanceId;
    private final EngineClock clock;
    private final Optional<String> place;
    private final AtomicLong sequence = new AtomicLong();

    LockTokenFactory(EngineClock clock, EngineSettings settings, RandomGenerator random) {
        this.clock = clock;
        this.place = settings.shownPlace();
        byte[] id = new byte[RANDOM_BYTES];
        random.nextBytes(id);
        this.instanceId = HexFormat.of().formatHex(id);
    }

    String instanceId() {
        return instanceId;
    }

    /** For what belongs to no attempt, and so to no owner. */
    LockToken next() {
        return next("", 0, TakeOverCondition.NONE);
    }

    /** For an attempt of the owner that is called this, with the take-over time in milliseconds; 0 if there is none. */
    LockToken next(String owner, long takeOverMillis, TakeOverCondition condition) {
        long number = sequence.incrementAndGet();
        return place.isPresent()
                ? new LockToken(
                        instanceId,
                        number,
                        LockToken.ownerAt(owner, place.get()),
                        clock.wallMillis(),
                        takeOverMillis,
                        condition)
                : new LockToken(instanceId, number, "", 0, takeOverMillis, condition);
    }
}
