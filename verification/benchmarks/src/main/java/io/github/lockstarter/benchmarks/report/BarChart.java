package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.measure.Spread;
import java.util.List;
import java.util.Locale;

/**
 * Medians as horizontal bars, with the range of the rounds as whiskers and one panel per charted metric. Readable on
 * light and dark pages. A gap marks bars that are cut because they would make the others unreadable.
 */
final class BarChart {

    private static final int WIDTH = 850;
    private static final int LEFT = 250;
    private static final int RIGHT = 130;
    private static final int TOP = 46;
    private static final int HEADING = 34;
    private static final int STEP = 30;
    private static final int BAR = 18;

    private static final String STYLE = """
        <style>
          .page { fill: #ffffff } .text { fill: #1f2328 } .faint { fill: #59636e }
          .axis { stroke: #d1d9e0 } .whisker { stroke: #1f2328 } .gap { stroke: #ffffff }
          @media (prefers-color-scheme: dark) {
            .page { fill: #0d1117 } .text { fill: #f0f6fc } .faint { fill: #9198a1 }
            .axis { stroke: #3d444d } .whisker { stroke: #f0f6fc } .gap { stroke: #0d1117 }
          }
        </style>
        """;

    private final WorkloadResult outcome;
    private final StringBuilder svg = new StringBuilder();

    BarChart(WorkloadResult outcome) {
        this.outcome = outcome;
    }

    String svg() {
        List<Metric> panels =
                outcome.charted().stream().filter(outcome.metrics()::contains).toList();
        int height = TOP
                + panels.stream()
                        .mapToInt(panel -> HEADING + rows(panel).size() * STEP)
                        .sum()
                + 14;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"13\">\n",
                WIDTH, height, WIDTH, height);
        svg.append(STYLE);
        add("<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", WIDTH, height);
        text(16, 28, "start", "text", "font-size=\"16\" font-weight=\"600\"", outcome.title());
        int y = TOP;
        for (Metric panel : panels) {
            panel(panel, y);
            y += HEADING + rows(panel).size() * STEP;
        }
        return svg.append("</svg>\n").toString();
    }

    private List<Row> rows(Metric metric) {
        return outcome.compared().stream()
                .filter(row -> row.spread(metric).isPresent())
                .toList();
    }

    private void panel(Metric metric, int top) {
        List<Row> rows = rows(metric);
        double scale = ChartScale.end(rows, metric);
        String direction = metric.better() == Metric.Better.HIGHER ? "more is better" : "less is better";
        text(LEFT, top + 18, "start", "faint", "", metric.label() + ", " + direction);
        int base = top + HEADING - 6;
        add(
                "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
                LEFT, base, LEFT, base + rows.size() * STEP);
        for (int i = 0; i < rows.size(); i++) {
            bar(rows.get(i), rows.get(i).spread(metric).orElseThrow(), scale, base + i * STEP + (STEP - BAR) / 2);
        }
    }

    private void bar(Row row, Spread spread, double scale, int top) {
        boolean cut = spread.median() > scale;
        int end = x(spread.median(), scale);
        int middle = top + BAR / 2;
        text(LEFT - 10, middle + 4, "end", "text", weight(row), row.label());
        add(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
                LEFT, top, Math.max(1, end - LEFT), BAR, Palette.of(row.id()));
        if (cut) {
            add(
                    "<line class=\"gap\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke-width=\"4\"/>\n",
                    end - 26, top + BAR + 2, end - 16, top - 2);
        } else {
            whisker(x(spread.min(), scale), x(spread.max(), scale), middle);
        }
        int label = Math.max(end, cut ? end : x(spread.max(), scale)) + 8;
        text(label, middle + 4, "start", "text", weight(row), NumberText.of(spread.median()));
    }

    private void whisker(int from, int to, int y) {
        add("<path class=\"whisker\" fill=\"none\" d=\"M%d %dv8m0 -4H%dm0 -4v8\"/>\n", from, y - 4, to);
    }

    private static String weight(Row row) {
        return row.id().equals(ClientKind.STARTER.id()) ? "font-weight=\"600\"" : "";
    }

    private static int x(double value, double scale) {
        return LEFT + (int) Math.round(Math.min(1, value / scale) * (WIDTH - LEFT - RIGHT));
    }

    private void text(int x, int y, String anchor, String style, String more, String content) {
        String escaped = content.replace("&", "&amp;").replace("<", "&lt;");
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" class=\"%s\" %s>%s</text>\n",
                x, y, anchor, style, more, escaped);
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments));
    }
}
