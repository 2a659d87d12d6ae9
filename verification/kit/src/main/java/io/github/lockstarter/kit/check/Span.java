package io.github.lockstarter.kit.check;

import java.util.Collection;

/**
 * A time in which something was the matter.
 *
 * @param whom worker or server; empty for all
 * @param what what was the matter
 * @param from begin, as nanoTime
 * @param until end, as nanoTime
 */
public record Span(String whom, String what, long from, long until) {

    /**
     * Whether the two have a moment in common.
     *
     * @param begin nanoTime
     * @param end nanoTime
     * @return true if so
     */
    public boolean touches(long begin, long end) {
        return from <= end && begin <= until;
    }

    /**
     * How much of a time is covered by some of the spans; what is covered twice counts twice, to the benefit of who was
     * late.
     *
     * @param spans the spans
     * @param begin nanoTime
     * @param end nanoTime
     * @return ns
     */
    static long covered(Collection<Span> spans, long begin, long end) {
        return spans.stream()
                .mapToLong(span -> Math.max(0, Math.min(end, span.until) - Math.max(begin, span.from)))
                .sum();
    }
}
