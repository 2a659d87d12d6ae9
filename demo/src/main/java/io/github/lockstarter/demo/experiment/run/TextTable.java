package io.github.lockstarter.demo.experiment.run;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table of text.
 *
 * @param header what the columns are called
 * @param words which columns are words, and aligned to the left; the others are numbers
 */
record TextTable(List<String> header, List<String> words) {

    /** Lines, each ended. */
    String layOut(List<List<String>> cells) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(header);
        rows.addAll(cells);
        List<Integer> widths = IntStream.range(0, header.size())
                .mapToObj(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        rows.add(1, widths.stream().map("-"::repeat).toList());
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
    }

    private String line(List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            String gap = " ".repeat(widths.get(column) - cells.get(column).length());
            boolean isWord = words.contains(header.get(column));
            line.append(isWord ? cells.get(column) + gap : gap + cells.get(column))
                    .append("  ");
        }
        return line.toString().stripTrailing() + "\n";
    }
}
