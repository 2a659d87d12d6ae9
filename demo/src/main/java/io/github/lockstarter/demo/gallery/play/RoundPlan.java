package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.gallery.actor.LockKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What the seed chooses for a round: who plays which part, the key and the pauses. Both sides have the same, except for
 * the counter. The pauses are for one thread.
 *
 * @param exhibit what is played
 * @param isBroken whether with the broken lock, or with ours
 * @param storePort server of the counter
 * @param parts the actor of each part
 * @param key of lock and counter
 * @param pauses where the pauses come from
 */
record RoundPlan(Exhibit exhibit, boolean isBroken, int storePort, List<Integer> parts, String key, Random pauses) {

    private static final int SHORTEST_PAUSE_MS = 10;
    private static final int LONGEST_PAUSE_MS = 60;

    /**
     * The plan of a round.
     *
     * @param round its number
     * @param seed the same seed chooses the same
     */
    static RoundPlan of(Exhibit exhibit, boolean broken, int storePort, int round, long seed) {
        Random random = new Random(seed * 1_000_003 + exhibit.id().hashCode() * 1_009L + round);
        List<Integer> parts =
                new ArrayList<>(IntStream.range(0, ActorGroup.SIZE).boxed().toList());
        Collections.shuffle(parts, random);
        String key = exhibit.id() + ":" + Integer.toHexString(random.nextInt(1 << 20));
        return new RoundPlan(exhibit, broken, storePort, List.copyOf(parts), key, random);
    }

    LockKind lock() {
        return isBroken ? exhibit.lock() : LockKind.STARTER;
    }

    long leaseMs() {
        return isBroken ? exhibit.brokenLease().toMillis() : exhibit.ourLease().toMillis();
    }

    Duration nextPause() {
        return Duration.ofMillis(SHORTEST_PAUSE_MS + pauses.nextInt(LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
    }
}
