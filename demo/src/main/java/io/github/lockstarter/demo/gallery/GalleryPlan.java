package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.play.Exhibit;
import java.util.List;

/**
 * What is to be played.
 *
 * @param exhibits which; at least one
 * @param seed chooses who plays which part, keys and pauses, and never whether a fault happens
 * @param rounds how often each is played, 1 to 9
 * @param lanes how many exhibits are played at the same time, each lane with processes of its own
 */
public record GalleryPlan(List<Exhibit> exhibits, long seed, int rounds, int lanes) {

    /** The seed when nothing is said. */
    public static final long SEED = 2026;

    /** The rounds when nothing is said. */
    public static final int ROUNDS = 2;

    /** Most rounds. */
    public static final int MOST_ROUNDS = 9;

    /** Checks the numbers. */
    public GalleryPlan {
        exhibits = List.copyOf(exhibits);
        if (exhibits.isEmpty()) {
            throw new IllegalArgumentException("exhibits is empty; name at least one");
        }
        if (rounds < 1 || rounds > MOST_ROUNDS) {
            throw new IllegalArgumentException("rounds is " + rounds + "; choose 1 to " + MOST_ROUNDS);
        }
        if (lanes < 1) {
            throw new IllegalArgumentException("lanes is " + lanes + "; choose 1 or more");
        }
    }
}
