package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.play.Exhibit;
import io.github.lockstarter.demo.gallery.play.ExhibitResult;
import io.github.lockstarter.demo.gallery.play.SideResult;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Results of the gallery as a table of text, a row for each exhibit: first the broken lock, then ours. */
public final class GalleryTable {

    private static final List<String> SIDE = List.of("updates", "counter", "lost", "owners", "blocked");
    private static final int WORDS = 2;

    private GalleryTable() {}

    /**
     * Lays them out.
     *
     * @param results in this order
     * @return lines, each ended
     */
    public static String of(List<ExhibitResult> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(Stream.of(List.of("exhibit", "what breaks it"), SIDE, SIDE)
                .flatMap(List::stream)
                .toList());
        results.forEach(result -> rows.add(row(result)));
        List<Integer> widths = IntStream.range(0, rows.get(0).size())
                .mapToObj(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        rows.add(1, widths.stream().map("-"::repeat).toList());
        int left = width(widths.subList(0, WORDS));
        int middle = width(widths.subList(WORDS, WORDS + SIDE.size()));
        String heading = " ".repeat(left) + "| " + pad("broken", middle) + "| ours\n";
        return heading + rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
    }

    private static List<String> row(ExhibitResult result) {
        String breaks = Exhibit.of(result.id()).map(Exhibit::breaks).orElse("");
        return Stream.of(List.of(result.id(), breaks), cells(result.broken()), cells(result.ours()))
                .flatMap(List::stream)
                .toList();
    }

    private static List<String> cells(SideResult side) {
        return List.of(
                Long.toString(side.updates()),
                Long.toString(side.counter()),
                Long.toString(side.lost()),
                side.ownersAtOnce() == 0 ? "-" : Integer.toString(side.ownersAtOnce()),
                side.blocked() ? "yes" : "no");
    }

    private static String line(List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            if (column == WORDS || column == WORDS + SIDE.size()) {
                line.append("| ");
            }
            String cell = cells.get(column);
            int width = widths.get(column);
            line.append(column < WORDS ? pad(cell, width) : " ".repeat(width - cell.length()) + cell)
                    .append("  ");
        }
        return line.toString().stripTrailing() + "\n";
    }

    private static int width(List<Integer> widths) {
        return widths.stream().mapToInt(width -> width + 2).sum();
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
