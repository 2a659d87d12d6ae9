package io.github.lockstarter.leader;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A period in which an instance reported, at each check, that it leads. Between two instances of one machine, {@link
 * System#nanoTime()} has the same origin.
 *
 * @param begin after the answer of the first check
 * @param end before the last check: the answer may be older than its arrival
 */
record Claim(String instance, long begin, long end) {

    boolean overlaps(Claim other) {
        return !instance.equals(other.instance) && begin - other.end < 0 && other.begin - end < 0;
    }

    /** Pairs of claims of two instances for one moment. */
    static List<String> overlaps(List<Claim> claims) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            for (int j = i + 1; j < claims.size(); j++) {
                if (claims.get(i).overlaps(claims.get(j))) {
                    found.add(claims.get(i) + " and " + claims.get(j));
                }
            }
        }
        return found;
    }

    /** Who led, in order. A leader that is in doubt for a moment claims twice, and counts once. */
    static List<String> leaders(List<Claim> claims) {
        List<String> leaders = new ArrayList<>();
        claims.stream().sorted(Comparator.comparingLong(Claim::begin)).forEach(claim -> {
            if (leaders.isEmpty() || !leaders.get(leaders.size() - 1).equals(claim.instance)) {
                leaders.add(claim.instance);
            }
        });
        return leaders;
    }
}
