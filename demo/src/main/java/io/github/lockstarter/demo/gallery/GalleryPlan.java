package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import java.util.List;

/**
 * A plan of exhibits.
 *
 * @param exhibits at least one
 * @param seed chooses roles, keys and pauses, but not whether faults happen
 * @param lanes number of exhibits played at once, with separate processes
 */
public record GalleryPlan(List<Exhibit> exhibits, long seed, int lanes) {

    public static final long SEED = 2026;

    public GalleryPlan {
        exhibits = List.copyOf(exhibits);
    }
}
