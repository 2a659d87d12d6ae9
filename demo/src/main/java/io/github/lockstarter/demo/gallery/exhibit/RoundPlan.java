package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.gallery.caller.LockKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The choices of the seed for a round: places, key and pauses. Equal for both sides, except for the counter. One
 * thread uses the pauses.
 *
 * @param storePort server of the counter
 * @param places the caller in each place of the interleaving
 * @param key of lock and counter
 */
record RoundPlan(Exhibit exhibit, boolean isBroken, int storePort, List<Integer> places, String key, Random pauses) {

    private static final int SHORTEST_PAUSE_MS = 10;
    private static final int LONGEST_PAUSE_MS = 60;

    static RoundPlan of(Exhibit exhibit, boolean broken, int storePort, long seed) {
        Random random = new Random(seed * 1_000_003 + exhibit.id().hashCode() * 1_009L);
        List<Integer> places =
                new ArrayList<>(IntStream.range(0, SideRunner.CALLERS).boxed().toList());
        Collections.shuffle(places, random);
        String key = exhibit.id() + ":" + Integer.toHexString(random.nextInt(1 << 20));
        return new RoundPlan(exhibit, broken, storePort, List.copyOf(places), key, random);
    }

    LockKind lock() {
        return isBroken ? exhibit.lock().kind() : LockKind.STARTER;
    }

    long leaseMs() {
        return (isBroken ? exhibit.lock().lease() : exhibit.lock().ourLease()).toMillis();
    }

    Duration nextPause() {
        return Duration.ofMillis(SHORTEST_PAUSE_MS + pauses.nextInt(LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
    }
}
