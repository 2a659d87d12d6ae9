package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.gallery.exhibit.CallerProcess.Answer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Records the events of a round. Thread-safe: the monitor guards all mutable fields. */
final class RoundRecorder {

    private static final double NANOS_PER_MS = 1e6;

    private final List<RoundEvent> steps = new ArrayList<>();
    private final Map<String, Long> owners = new HashMap<>();
    private final List<Section> sections = new ArrayList<>();
    private long start;
    private long updates;
    private int refused;
    private boolean blocked;

    /**
     * From a grant until its owner starts to release, is notified of the loss, or dies. Times are {@link
     * System#nanoTime()}.
     */
    record Section(long from, long to) {

        /** Maximum overlap, which occurs at the start of a section. */
        static int mostAtOnce(List<Section> sections) {
            return sections.stream()
                    .mapToInt(section -> (int) sections.stream()
                            .filter(other -> other.from <= section.from && section.from < other.to)
                            .count())
                    .max()
                    .orElse(0);
        }
    }

    synchronized void begin() {
        start = System.nanoTime();
    }

    synchronized void add(CallerProcess caller, Answer answer, String kind, String text) {
        add(answer.nanos(), caller.name, kind, text);
    }

    synchronized void add(CallerProcess caller, String kind, String text) {
        add(System.nanoTime(), caller.name, kind, text);
    }

    synchronized void addFault(String text) {
        add(System.nanoTime(), RoundEvent.SERVERS, "fault", text);
    }

    synchronized void answered(CallerProcess caller, Answer answer) {
        if (answer.word().equals("refused")) {
            add(caller, answer, "refused", "waited without success");
        } else {
            add(caller, answer, "granted", "has the lock");
            owners.put(caller.name, answer.nanos());
        }
    }

    synchronized void sectionEnded(CallerProcess caller, long nanos) {
        Long from = owners.remove(caller.name);
        if (from != null) {
            sections.add(new Section(from, nanos));
        }
    }

    synchronized void written(int times) {
        updates += times;
    }

    synchronized void refused() {
        refused++;
    }

    synchronized void blocked() {
        blocked = true;
    }

    synchronized SideResult result(long counter) {
        long now = System.nanoTime();
        owners.values().forEach(from -> sections.add(new Section(from, now)));
        owners.clear();
        List<RoundEvent> inOrder = steps.stream()
                .sorted(Comparator.comparingDouble(RoundEvent::at))
                .toList();
        return new SideResult(updates, counter, Section.mostAtOnce(sections), refused, blocked, inOrder);
    }

    private void add(long nanos, String caller, String kind, String text) {
        steps.add(new RoundEvent(Math.round((nanos - start) / NANOS_PER_MS * 10) / 10.0, caller, kind, text));
    }
}
