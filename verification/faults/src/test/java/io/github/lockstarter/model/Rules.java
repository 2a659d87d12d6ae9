package io.github.lockstarter.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Behaviour of scripts and clients. Times are in ticks.
 *
 * @param lease of each acquire
 * @param grace G: minimum age of a history for grants, and maximum age for reclaims
 * @param quiet minimum age of a history for renewals
 * @param variations from the documented protocol
 */
record Rules(int lease, int grace, int quiet, Set<Variation> variations) {

    /** The protocol with the bounds that it claims to be enough. */
    static Rules atTheBound(int lease, int window) {
        return new Rules(lease, lease + window, window, Set.of());
    }

    Rules withGrace(int ticks) {
        return new Rules(lease, ticks, quiet, variations);
    }

    Rules withQuiet(int ticks) {
        return new Rules(lease, grace, ticks, variations);
    }

    Rules with(Variation... more) {
        EnumSet<Variation> all = EnumSet.noneOf(Variation.class);
        all.addAll(variations);
        all.addAll(List.of(more));
        return new Rules(lease, grace, quiet, all);
    }

    boolean has(Variation variation) {
        return variations.contains(variation);
    }

    /** From this age on all histories are alike. */
    int oldAge() {
        return Math.max(grace, quiet);
    }
}
