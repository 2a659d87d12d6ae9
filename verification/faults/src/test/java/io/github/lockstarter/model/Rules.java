package io.github.lockstarter.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What scripts and clients do. Times are in ticks.
 *
 * @param lease of each acquire
 * @param grace G: how old a history must be for grants, and how old it may be for reclaims
 * @param quiet how old a history must be for renewals
 * @param variations from the protocol as documented
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
