package io.github.lockstarter.demo.gallery.play;

import java.util.List;

/**
 * What became of one lock in one round.
 *
 * @param updates writes that their callers believe done
 * @param counter what the counter says
 * @param ownersAtOnce most actors that were owners at the same moment, as far as they knew
 * @param refusedWrites writes that the store refused
 * @param blocked whether somebody waited in vain
 * @param steps what happened, in the order of time
 */
record RoundResult(long updates, long counter, int ownersAtOnce, int refusedWrites, boolean blocked, List<Step> steps) {

    RoundResult {
        steps = List.copyOf(steps);
    }
}
