package io.github.lockstarter.demo.gallery.exhibit;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * Result of one lock in an exhibit.
 *
 * @param updates writes that callers consider successful
 * @param ownersAtOnce most callers that considered themselves owners at the same time
 * @param refusedWrites writes that the store rejected by their fencing token
 * @param blocked whether a caller did not get the lock in time
 * @param steps by time
 */
public record SideResult(
        long updates, long counter, int ownersAtOnce, int refusedWrites, boolean blocked, List<RoundEvent> steps) {

    public SideResult {
        steps = List.copyOf(steps);
    }

    /** Updates that are missing from the counter. */
    @JsonProperty
    public long lost() {
        return updates - counter;
    }

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
