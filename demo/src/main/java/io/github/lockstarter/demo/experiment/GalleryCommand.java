package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.gallery.Gallery;
import io.github.lockstarter.demo.gallery.GalleryListener;
import io.github.lockstarter.demo.gallery.GalleryPlan;
import io.github.lockstarter.demo.gallery.GalleryTable;
import io.github.lockstarter.demo.gallery.GalleryTimeline;
import io.github.lockstarter.demo.gallery.play.Exhibit;
import io.github.lockstarter.demo.gallery.play.ExhibitResult;
import io.github.lockstarter.demo.gallery.play.SideResult;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The gallery in the terminal: plays, prints timelines and the table, and leaves nothing behind. */
final class GalleryCommand {

    private static final int FAILED = 1;
    private static final double NANOS_PER_SECOND = 1e9;

    private final GalleryPlan plan;
    private final PrintStream out;
    private final Gallery gallery;

    GalleryCommand(GalleryPlan plan, PrintStream out) {
        this.plan = plan;
        this.out = out;
        this.gallery = new Gallery(new Printer(out));
    }

    /** Ctrl-C ends the JVM by its shutdown hooks, while this thread still waits. */
    int run() {
        Thread hook = new Thread(this::interrupted, "gallery-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            long start = System.nanoTime();
            out.println("Seed " + plan.seed() + ", " + rounds() + " of each exhibit. Starting the actors");
            plan.exhibits().stream()
                    .filter(exhibit -> !exhibit.isPlayable())
                    .forEach(exhibit -> out.println(exhibit.id() + " is left out: clocks cannot be moved here"));
            gallery.play(plan).join();
            List<ExhibitResult> results = gallery.state().results();
            out.println();
            out.print(GalleryTable.of(results));
            out.println(String.format(
                    Locale.ROOT,
                    "%nSeed %d, %s, %.0f s",
                    plan.seed(),
                    rounds(),
                    (System.nanoTime() - start) / NANOS_PER_SECOND));
            return judge(results);
        } finally {
            try {
                gallery.close();
            } finally {
                ExperimentCommand.remove(hook);
            }
        }
    }

    private String rounds() {
        return plan.rounds() == 1 ? "1 round" : plan.rounds() + " rounds";
    }

    private int judge(List<ExhibitResult> results) {
        String wrong = results.stream()
                .filter(result -> !result.isAsPredicted())
                .map(ExhibitResult::id)
                .collect(Collectors.joining(", "));
        if (wrong.isEmpty()) {
            return 0;
        }
        out.println("Not as predicted: " + wrong + ". That should not happen; please report it.");
        return FAILED;
    }

    private void interrupted() {
        try {
            gallery.close();
            out.println("Interrupted. Everything that was started has been ended.");
        } catch (RuntimeException failure) {
            out.println("Interrupted. " + failure.getMessage());
        }
    }

    /** Exhibits as they end; one at a time, since several are played at once. */
    private record Printer(PrintStream out) implements GalleryListener {

        @Override
        public void played(ExhibitResult result) {
            Exhibit exhibit = Exhibit.of(result.id()).orElseThrow();
            synchronized (this) {
                out.println();
                out.println(exhibit.id() + ": " + exhibit.title() + ". " + exhibit.flaw());
                print("broken", result.broken());
                out.println("  ours: " + exhibit.remedy());
                print("ours", result.ours());
            }
        }

        private void print(String side, SideResult result) {
            out.print(GalleryTimeline.of(result.steps()));
            out.println("  " + side + ": " + result.summary());
        }
    }
}
