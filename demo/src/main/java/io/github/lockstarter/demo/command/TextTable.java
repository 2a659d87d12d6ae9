package io.github.lockstarter.demo.command;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A text table: numbers are right-aligned, words left-aligned.
 *
 * @param words the columns with words
 */
record TextTable(List<String> head, List<String> words) {

    private static final String GAP = "  ";

    /** Formats rows; each line is terminated. */
    String layOut(List<List<String>> rows) {
        List<List<String>> all = new ArrayList<>(List.of(head));
        all.addAll(rows);
        List<Integer> widths = IntStream.range(0, head.size())
                .mapToObj(column -> all.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        all.add(1, widths.stream().map("-"::repeat).toList());
        return all.stream().map(row -> line(row, widths)).collect(Collectors.joining());
    }

    private String line(List<String> cells, List<Integer> widths) {
        return IntStream.range(0, cells.size())
                        .mapToObj(column -> cell(column, cells.get(column), widths.get(column)))
                        .collect(Collectors.joining(GAP))
                        .stripTrailing()
                + "\n";
    }

    private String cell(int column, String text, int width) {
        String space = " ".repeat(width - text.length());
        return words.contains(head.get(column)) ? text + space : space + text;
    }
}
