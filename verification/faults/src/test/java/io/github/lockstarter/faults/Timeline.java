package io.github.lockstarter.faults;

import io.github.lockstarter.kit.check.LoggedHold;
import io.github.lockstarter.kit.check.Span;
import io.github.lockstarter.kit.check.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A picture of the seconds around a violation: a row for each worker with its holds of the key, and the faults behind.
 */
final class Timeline {

    private static final int WIDTH = 1000;
    private static final int LEFT = 90;
    private static final int ROW = 40;
    private static final int TOP = 70;
    private static final double BEFORE_MILLIS = 2000;
    private static final double AFTER_MILLIS = 1000;

    private final Violation violation;
    private final List<LoggedHold> holds;
    private final List<Span> faults;
    private final StringBuilder svg = new StringBuilder();

    private Timeline(Violation violation, List<LoggedHold> holds, List<Span> faults) {
        this.violation = violation;
        this.holds = holds;
        this.faults = faults;
    }

    /**
     * Draws an SVG document.
     *
     * @param violation in the middle
     * @param holds of its key
     */
    static String of(Violation violation, List<LoggedHold> holds, List<Span> faults) {
        return new Timeline(violation, holds, faults).draw();
    }

    private String draw() {
        List<String> workers = new ArrayList<>(
                holds.stream().map(LoggedHold::worker).distinct().sorted().toList());
        int height = TOP + ROW * Math.max(1, workers.size()) + 40;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                WIDTH + LEFT + 20,
                height));
        text(10, 20, violation.invariant() + " " + violation.key() + ": " + violation.description());
        faults.forEach(fault -> drawFault(fault, height));
        for (int i = 0; i < workers.size(); i++) {
            int y = TOP + ROW * i;
            text(10, y + 16, workers.get(i));
            String worker = workers.get(i);
            holds.stream().filter(hold -> hold.worker().equals(worker)).forEach(hold -> drawHold(hold, y));
        }
        drawAxis(height);
        return svg.append("</svg>\n").toString();
    }

    private void drawFault(Span fault, int height) {
        double from = x(fault.from());
        double to = x(fault.until());
        if (to > LEFT && from < LEFT + WIDTH) {
            box(from, to, 30, height - 60, "#d0d0d0", fault.disturbance() + " " + fault.target());
            text(Math.max(LEFT, from) + 2, 44, fault.disturbance());
        }
    }

    /** Dark while the application could rely on the hold, light until its end. */
    private void drawHold(LoggedHold hold, int y) {
        boolean culprit = violation.holds().contains(hold);
        if (hold.end().at() > hold.validUntil()) {
            box(x(hold.validUntil()), x(hold.end().at()), y, 24, "#f2c6b0", "after the lease of " + hold);
        }
        box(x(hold.grantedAt()), x(hold.validUntil()), y, 24, culprit ? "#c0392b" : "#2c7fb8", hold.toString());
    }

    private void drawAxis(int height) {
        for (double millis = -BEFORE_MILLIS; millis <= AFTER_MILLIS; millis += 500) {
            double x = LEFT + (millis + BEFORE_MILLIS) * scale();
            text(x, height - 10, String.format(Locale.ROOT, "%+.0f ms", millis));
        }
        box(x(violation.at()) - 1, x(violation.at()) + 1, 30, height - 60, "black", "violation");
    }

    private double x(long nanoTime) {
        return LEFT + ((nanoTime - violation.at()) / 1e6 + BEFORE_MILLIS) * scale();
    }

    private static double scale() {
        return WIDTH / (BEFORE_MILLIS + AFTER_MILLIS);
    }

    private void box(double from, double to, int y, int height, String colour, String title) {
        double left = Math.max(LEFT, from);
        double right = Math.min(LEFT + WIDTH, to);
        if (right >= left) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>%n",
                    left,
                    y,
                    Math.max(1, right - left),
                    height,
                    colour,
                    escaped(title)));
        }
    }

    private void text(double x, int y, String words) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%d\">%s</text>%n", x, y, escaped(words)));
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
