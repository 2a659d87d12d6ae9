package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import java.util.List;

/**
 * What is to be played.
 *
 * @param exhibits which; at least one
 * @param seed chooses who takes which place, keys and pauses, and never whether a fault happens
 * @param lanes how many exhibits are played at the same time, each lane with processes of its own
 */
public record GalleryPlan(List<Exhibit> exhibits, long seed, int lanes) {

    /** The default seed. */
    public static final long SEED = 2026;

    /** Copies. */
    public GalleryPlan {
        exhibits = List.copyOf(exhibits);
    }
}
