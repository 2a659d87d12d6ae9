package io.github.lockstarter.testing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Checks critical sections after the fact: that no two overlapped, and that the fencing tokens grew in the order in
 * which they ran. Exact, since {@link System#nanoTime()} is one clock for all JVMs of a machine. Thread-safe.
 */
public final class OverlapDetector {

    private final Queue<Section> sections = new ConcurrentLinkedQueue<>();

    /**
     * One critical section.
     *
     * @param from {@link System#nanoTime()} after the entry
     * @param to {@link System#nanoTime()} before the exit
     */
    public record Section(String owner, long from, long to, long fencingToken) {}

    /**
     * Adds a section that is over.
     *
     * @param section the section
     */
    public void record(Section section) {
        sections.add(section);
    }

    /**
     * How many sections were recorded.
     *
     * @return zero or more
     */
    public int count() {
        return sections.size();
    }

    /**
     * Sections that started before the end of the previous one, in one sentence each; empty if exclusion held. If any
     * two sections overlap, there is at least one.
     */
    public List<String> overlaps() {
        List<String> found = new ArrayList<>();
        List<Section> ordered = inOrder();
        for (int i = 1; i < ordered.size(); i++) {
            Section earlier = ordered.get(i - 1);
            Section later = ordered.get(i);
            if (later.from() - earlier.to() < 0) {
                found.add(later + " began before the end of " + earlier);
            }
        }
        return found;
    }

    /**
     * Sections whose fencing token is not greater than the previous one, in one sentence each; empty if the tokens grew
     * strictly.
     */
    public List<String> fencingViolations() {
        List<String> found = new ArrayList<>();
        List<Section> ordered = inOrder();
        for (int i = 1; i < ordered.size(); i++) {
            if (ordered.get(i).fencingToken() <= ordered.get(i - 1).fencingToken()) {
                found.add(ordered.get(i) + " has no greater fencing token than " + ordered.get(i - 1));
            }
        }
        return found;
    }

    private List<Section> inOrder() {
        return sections.stream().sorted(Comparator.comparingLong(Section::from)).toList();
    }
}
