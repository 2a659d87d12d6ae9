package io.github.lockstarter.demo.gallery.exhibit;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * What became of an exhibit.
 *
 * @param id of the exhibit
 * @param seed that chose parts, keys and pauses
 * @param broken the broken lock
 * @param ours ours, by the same steps
 */
public record ExhibitResult(String id, long seed, SideResult broken, SideResult ours) {

    /**
     * Whether the broken lock broke as it had to, and ours did not: it lost nothing, blocked nobody,
     * and had one owner at a time. That the store refused the write of a second owner does not excuse it, except in
     * the exhibit that is about such a write.
     *
     * @return true when this shows what it is to show
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
