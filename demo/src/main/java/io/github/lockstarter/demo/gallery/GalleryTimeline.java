package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.play.Step;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The steps of a round as text: a line for each, a column for each actor and for the servers. */
public final class GalleryTimeline {

    private static final List<String> ACTORS = List.of("A", "B", "C", Step.SERVERS);
    private static final double MS_PER_SECOND = 1000;

    private GalleryTimeline() {}

    /**
     * Lays them out.
     *
     * @param steps in the order of time
     * @return lines, each ended
     */
    public static String of(List<Step> steps) {
        List<Integer> widths = ACTORS.stream()
                .map(actor -> steps.stream()
                        .filter(step -> step.actor().equals(actor))
                        .mapToInt(step -> step.text().length())
                        .reduce(actor.length(), Math::max))
                .toList();
        return line("    s", ACTORS, widths)
                + steps.stream()
                        .map(step -> line(
                                String.format(Locale.ROOT, "%5.2f", step.at() / MS_PER_SECOND),
                                ACTORS.stream()
                                        .map(actor -> actor.equals(step.actor()) ? step.text() : "")
                                        .toList(),
                                widths))
                        .collect(Collectors.joining());
    }

    private static String line(String time, List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder("    ").append(time);
        for (int column = 0; column < cells.size(); column++) {
            String cell = cells.get(column);
            line.append(" | ").append(cell).append(" ".repeat(widths.get(column) - cell.length()));
        }
        return line.toString().stripTrailing() + "\n";
    }
}
