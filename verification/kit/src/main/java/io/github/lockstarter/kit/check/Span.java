package io.github.lockstarter.kit.check;

import java.util.Collection;

/**
 * A period with a disturbance. Times are nanoTime.
 *
 * @param target worker or server; empty for all
 */
public record Span(String target, String disturbance, long from, long until) {

    /** Whether the two periods overlap. */
    public boolean touches(long begin, long end) {
        return from <= end && begin <= until;
    }

    /** Time in ns covered by the spans. Overlaps count twice, in favour of the late worker. */
    static long covered(Collection<Span> spans, long begin, long end) {
        return spans.stream()
                .mapToLong(span -> Math.max(0, Math.min(end, span.until) - Math.max(begin, span.from)))
                .sum();
    }
}
