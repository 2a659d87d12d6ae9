package io.github.lockstarter.engine;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The highest fencing token granted to this instance, for each recently granted key. Keeps the tokens of a key growing
 * when the backend has lost its counter and its clock stands below the last token.
 *
 * <p>Invariants: a floor is that of its {@linkplain #shortened key} alone, so that a token far ahead of the clock
 * raises those of no other key. While a key is remembered, its floor never falls. At most {@value #SETS} times
 * {@value #KEYS_PER_SET} keys are remembered; a grant for a further one forgets the key of the same set that was
 * granted longest ago. What is lost with it: should the backend lose the counter too, this instance no longer knows
 * that its tokens were higher.
 *
 * <p>Any thread calls. Each set is an immutable array, latest grant first, which is replaced atomically.
 */
final class HighestFencingTokens {

    /** A power of two. */
    private static final int SETS = 512;

    private static final int KEYS_PER_SET = 8;

    private static final int LONGEST_KEY = 256;

    private record Floor(String key, long highest) {}

    private final AtomicReferenceArray<Floor @Nullable []> sets = new AtomicReferenceArray<>(SETS);

    /** The highest token seen of a key; 0 if none is remembered. */
    long floor(String lock) {
        String key = shortened(lock);
        return floorIn(sets.get(setOf(key)), key);
    }

    void saw(String lock, long fencingToken) {
        String key = shortened(lock);
        int set = setOf(key);
        Floor[] known;
        Floor[] next;
        do {
            known = sets.get(set);
            next = withLatest(known, new Floor(key, Math.max(fencingToken, floorIn(known, key))));
        } while (!sets.compareAndSet(set, known, next));
    }

    private static long floorIn(Floor @Nullable [] set, String key) {
        if (set != null) {
            for (Floor floor : set) {
                if (floor.key.equals(key)) {
                    return floor.highest;
                }
            }
        }
        return 0;
    }

    private static Floor[] withLatest(Floor @Nullable [] set, Floor latest) {
        if (set == null) {
            return new Floor[] {latest};
        }
        int older = olderThan(set, latest.key);
        Floor[] next = new Floor[1 + older];
        next[0] = latest;
        int kept = 1;
        for (Floor floor : set) {
            if (kept <= older && !floor.key.equals(latest.key)) {
                next[kept] = floor;
                kept++;
            }
        }
        return next;
    }

    /** How many floors of other keys stay. */
    private static int olderThan(Floor[] set, String key) {
        int others = 0;
        for (Floor floor : set) {
            if (!floor.key.equals(key)) {
                others++;
            }
        }
        return Math.min(others, KEYS_PER_SET - 1);
    }

    /**
     * What a key is remembered by, of bounded length. Long keys that share it, which is unlikely, share the higher
     * floor.
     */
    private static String shortened(String key) {
        return key.length() <= LONGEST_KEY
                ? key
                : key.length() + ":" + key.hashCode() + ":" + key.substring(0, LONGEST_KEY);
    }

    private static int setOf(String key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (SETS - 1);
    }
}
