package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeoverCondition;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Creates the lock tokens of one instance, from a random instance id and a random number for each. Two processes that
 * continue from one image of the memory have the same id, but get different numbers. Remembers the highest granted
 * fencing token of the {@value #MAX_KEYS} most recently used keys, so a key's tokens keep growing if the store has lost
 * its counter and its clock is behind; a token far ahead of the clock affects only its own key. Thread-safe: the map,
 * which the runs of an engine share, is guarded by its own monitor.
 */
final class EngineTokens {

    private static final String DETACHED = " (detached)";
    private static final int RANDOM_BYTES = 16;
    private static final int MAX_KEYS = 4096;
    private static final int MAX_KEY_LENGTH = 256;
    private static final int CAPACITY = 16;
    private static final float LOAD_FACTOR = 0.75f;

    private final String instanceId;
    private final EngineClock clock;
    private final Optional<String> place;
    private final RandomGenerator random;

    /** Least recently used key first. */
    private final Map<String, Long> highest;

    EngineTokens(EngineClock clock, EngineSettings settings, RandomGenerator random) {
        this(clock, settings.shownPlace(), random, new LinkedHashMap<>(CAPACITY, LOAD_FACTOR, true));
    }

    private EngineTokens(EngineClock clock, Optional<String> place, RandomGenerator random, Map<String, Long> highest) {
        this.clock = clock;
        this.place = place;
        this.random = random;
        this.highest = highest;
        byte[] id = new byte[RANDOM_BYTES];
        random.nextBytes(id);
        this.instanceId = HexFormat.of().formatHex(id);
    }

    /** Has another instance id and the same memory of fencing tokens. */
    EngineTokens ofNewInstance() {
        return new EngineTokens(clock, place, random, highest);
    }

    String instanceId() {
        return instanceId;
    }

    /** A token for a ticket, which shows operators that its lock is detached, and allows no takeover. */
    LockToken detached(String owner) {
        String shown = place.map(at -> LockToken.ownerAt(owner + DETACHED, at)).orElse(DETACHED);
        return new LockToken(instanceId, number(), shown, clock.wallMillis(), 0, TakeoverCondition.NONE);
    }

    private long number() {
        return 1 + (random.nextLong() >>> 2); // positive
    }

    /** For commands other than attempts. */
    LockToken next() {
        return next("", 0, TakeoverCondition.NONE);
    }

    /** A token for an attempt; {@code takeoverMillis} is 0 without takeover. */
    LockToken next(String owner, long takeoverMillis, TakeoverCondition condition) {
        long number = number();
        return place.isPresent()
                ? new LockToken(
                        instanceId,
                        number,
                        LockToken.ownerAt(owner, place.get()),
                        clock.wallMillis(),
                        takeoverMillis,
                        condition)
                : new LockToken(instanceId, number, "", 0, takeoverMillis, condition);
    }

    /** 0 if unknown. */
    long highest(String key) {
        String name = shortened(key);
        synchronized (highest) {
            return highest.getOrDefault(name, 0L);
        }
    }

    void granted(String key, long fencingToken) {
        String name = shortened(key);
        synchronized (highest) {
            highest.merge(name, fencingToken, Math::max);
            if (highest.size() > MAX_KEYS) {
                highest.remove(highest.keySet().iterator().next());
            }
        }
    }

    /** Bounds memory. Long keys that collide, which is unlikely, share the higher token. */
    private static String shortened(String key) {
        return key.length() <= MAX_KEY_LENGTH
                ? key
                : key.length() + ":" + key.hashCode() + ":" + key.substring(0, MAX_KEY_LENGTH);
    }
}
