package io.github.lockstarter.leader;

import java.util.ArrayList;
import java.util.List;

/**
 * A time for which an instance said, each time that it was asked, that it leads. Between two instances of one machine,
 * {@link System#nanoTime()} has the same origin.
 *
 * @param instance who said so
 * @param begin when it was asked first, and the answer had come
 * @param end when it was asked last: the answer may be older than its arrival
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
}
