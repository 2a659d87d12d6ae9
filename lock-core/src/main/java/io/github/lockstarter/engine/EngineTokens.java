package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeOverCondition;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * The tokens of one instance. Makes its lock tokens: a random instance identity, drawn when the client is made, and a
 * counter. Remembers the highest fencing token granted to it for each of the {@value #MOST_KEYS} keys that it asked for
 * latest, so that the tokens of a key keep growing when the backend has lost its counter and its clock stands below the
 * last token. A token far ahead of the clock raises those of its own key only. Thread-safe: the map is guarded by its
 * monitor.
 */
final class EngineTokens {

    private static final int RANDOM_BYTES = 16;
    private static final int MOST_KEYS = 4096;
    private static final int LONGEST_KEY = 256;
    private static final int CAPACITY = 16;
    private static final float LOAD_FACTOR = 0.75f;

    private final String instanceId;
    private final EngineClock clock;
    private final Optional<String> place;
    private final AtomicLong sequence = new AtomicLong();

    /** By key, the one that was asked for longest ago first. */
    private final Map<String, Long> highest = new LinkedHashMap<>(CAPACITY, LOAD_FACTOR, true);

    EngineTokens(EngineClock clock, EngineSettings settings, RandomGenerator random) {
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

    /** The highest fencing token granted for a key; 0 if none is remembered. */
    long highest(String key) {
        String name = shortened(key);
        synchronized (highest) {
            return highest.getOrDefault(name, 0L);
        }
    }

    /** The store granted this fencing token. */
    void granted(String key, long fencingToken) {
        String name = shortened(key);
        synchronized (highest) {
            highest.merge(name, fencingToken, Math::max);
            if (highest.size() > MOST_KEYS) {
                Iterator<String> oldest = highest.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }

    /** Of bounded length. Long keys that share it, which is unlikely, share the higher fencing token. */
    private static String shortened(String key) {
        return key.length() <= LONGEST_KEY
                ? key
                : key.length() + ":" + key.hashCode() + ":" + key.substring(0, LONGEST_KEY);
    }
}
