package io.github.lockstarter.demo.gallery.exhibit;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * Outcome of one lock in an exhibit.
 *
 * @param updates writes that their callers believe done
 * @param counter value of the counter
 * @param ownersAtOnce most callers that were owners at the same moment, as far as they knew
 * @param refusedWrites writes that the store refused for their fencing token
 * @param blocked whether somebody waited without getting the lock
 * @param steps what happened, in the order of time
 */
public record SideResult(
        long updates, long counter, int ownersAtOnce, int refusedWrites, boolean blocked, List<Step> steps) {

    /** Copies. */
    public SideResult {
        steps = List.copyOf(steps);
    }

    /** Updates that are not in the counter. */
    @JsonProperty
    public long lost() {
        return updates - counter;
    }

    /** All that in a sentence. */
    @JsonProperty
    public String summary() {
        if (blocked) {
            return "Nobody gets the lock any more: the others waited without getting it.";
        }
        String owned = ownersAtOnce > 1 ? ", with up to " + ownersAtOnce + " owners at once" : "";
        String fenced = refusedWrites == 0
                ? ""
                : " The store refused " + refusedWrites + " late " + (refusedWrites == 1 ? "write." : "writes.");
        return lost() == 0
                ? "All " + updates + " updates are in the counter" + owned + "." + fenced
                : lost() + " of " + updates + " updates " + (lost() == 1 ? "is" : "are") + " lost" + owned + "."
                        + fenced;
    }
}
