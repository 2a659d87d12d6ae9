package io.github.lockstarter.demo.gallery.exhibit;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * Result of an exhibit.
 *
 * @param seed of roles, keys and pauses
 * @param ours result of our lock with the same steps
 */
public record ExhibitResult(String id, long seed, SideResult broken, SideResult ours) {

    /**
     * Whether the broken lock failed as predicted, and ours lost no update, blocked no caller and had one owner at a
     * time. A second owner whose write was rejected counts as a failure too, except in the exhibit about late writes.
     */
    @JsonIgnore
    public boolean isAsPredicted() {
        Exhibit exhibit = Exhibit.of(id);
        Exhibit.Prediction prediction = exhibit.prediction();
        return broken.lost() == prediction.lost()
                && broken.blocked() == prediction.blocks()
                && broken.ownersAtOnce() == prediction.owners()
                && ours.lost() == 0
                && ours.ownersAtOnce() <= exhibit.ownersOfOurs()
                && ours.refusedWrites() >= exhibit.refusedWithOurs()
                && !ours.blocked();
    }
}
