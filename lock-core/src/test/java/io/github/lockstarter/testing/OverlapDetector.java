package io.github.lockstarter.testing;

import io.github.lockstarter.LockMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiPredicate;
import java.util.function.ToLongFunction;

/**
 * Checks critical sections after the fact: that no two overlapped of which one wrote, and that the fencing tokens grew
 * in the order in which they ran; those of sections that read may be equal. Exact, since {@link System#nanoTime()} is
 * one clock for all JVMs of a machine. Thread-safe.
 */
public final class OverlapDetector {

    private final Queue<Section> sections = new ConcurrentLinkedQueue<>();

    /**
     * One critical section.
     *
     * @param from {@link System#nanoTime()} after the entry
     * @param to {@link System#nanoTime()} before the exit
     */
    public record Section(String owner, long from, long to, long fencingToken, LockMode mode) {

        /** One that writes. */
        public Section(String owner, long from, long to, long fencingToken) {
            this(owner, from, to, fencingToken, LockMode.WRITE);
        }
    }

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
     * Sections that started before the end of an earlier one, in one sentence each; empty if exclusion held. If any two
     * sections overlap of which one writes, there is at least one.
     */
    public List<String> overlaps() {
        return violations(Section::to, (later, end) -> later.from() - end < 0, " began before the end of ");
    }

    /**
     * Sections whose fencing token is not greater than an earlier one, in one sentence each; empty if the tokens grew
     * strictly.
     */
    public List<String> fencingViolations() {
        return violations(
                Section::fencingToken,
                (later, token) -> later.fencingToken() <= token,
                " has no greater fencing token than ");
    }

    /** Compares each section with the earlier one that excludes it and has the greatest value. */
    private List<String> violations(
            ToLongFunction<Section> value, BiPredicate<Section, Long> isWrong, String explanation) {
        List<String> found = new ArrayList<>();
        Comparator<Section> byValue = Comparator.comparingLong(value);
        Optional<Section> greatest = Optional.empty();
        Optional<Section> greatestToWrite = Optional.empty();
        for (Section each : inOrder()) {
            boolean reads = each.mode() == LockMode.READ;
            (reads ? greatestToWrite : greatest)
                    .filter(earlier -> isWrong.test(each, value.applyAsLong(earlier)))
                    .ifPresent(earlier -> found.add(each + explanation + earlier));
            greatest = Optional.of(greatest.filter(earlier -> byValue.compare(earlier, each) > 0)
                    .orElse(each));
            greatestToWrite = reads
                    ? greatestToWrite
                    : Optional.of(greatestToWrite
                            .filter(earlier -> byValue.compare(earlier, each) > 0)
                            .orElse(each));
        }
        return found;
    }

    private List<Section> inOrder() {
        return sections.stream().sorted(Comparator.comparingLong(Section::from)).toList();
    }
}
