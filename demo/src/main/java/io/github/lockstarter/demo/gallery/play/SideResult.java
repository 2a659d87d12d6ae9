package io.github.lockstarter.demo.gallery.play;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * What became of one lock in all rounds of an exhibit.
 *
 * @param updates writes that their callers believe done
 * @param counter what the counter says
 * @param ownersAtOnce most actors that were owners at the same moment, as far as they knew
 * @param refusedWrites writes that the store refused for their fencing token
 * @param blocked whether somebody waited in vain
 * @param summary all that in a sentence
 * @param steps of one round: the first that lost something, or else the first
 */
public record SideResult(
        long updates,
        long counter,
        int ownersAtOnce,
        int refusedWrites,
        boolean blocked,
        String summary,
        List<Step> steps) {

    /** Copies. */
    public SideResult {
        steps = List.copyOf(steps);
    }

    /**
     * Updates that are not in the counter.
     *
     * @return zero when all are
     */
    @JsonProperty
    public long lost() {
        return updates - counter;
    }

    /**
     * Adds up rounds.
     *
     * @param rounds at least one
     * @return their sum
     */
    static SideResult of(List<RoundResult> rounds) {
        long updates = rounds.stream().mapToLong(RoundResult::updates).sum();
        long counter = rounds.stream().mapToLong(RoundResult::counter).sum();
        int owners = rounds.stream().mapToInt(RoundResult::ownersAtOnce).max().orElse(0);
        int refused = rounds.stream().mapToInt(RoundResult::refusedWrites).sum();
        boolean blocked = rounds.stream().anyMatch(RoundResult::blocked);
        RoundResult shown = rounds.stream()
                .filter(round -> round.updates() != round.counter())
                .findFirst()
                .orElse(rounds.get(0));
        return new SideResult(
                updates,
                counter,
                owners,
                refused,
                blocked,
                summary(updates, counter, owners, refused, blocked),
                shown.steps());
    }

    private static String summary(long updates, long counter, int owners, int refused, boolean blocked) {
        if (blocked) {
            return "Nobody gets the lock any more: the others waited in vain.";
        }
        String owned = owners > 1 ? ", with up to " + owners + " owners at once" : "";
        String fenced = refused == 0 ? "" : " The store refused " + refused + " late " + plural(refused, "write") + ".";
        return updates == counter
                ? "All " + updates + " updates are in the counter" + owned + "." + fenced
                : updates - counter + " of " + updates + " updates " + (updates - counter == 1 ? "is" : "are") + " lost"
                        + owned + "." + fenced;
    }

    private static String plural(long count, String noun) {
        return count == 1 ? noun : noun + "s";
    }
}
