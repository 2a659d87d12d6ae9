package io.github.lockstarter.demo.command;

import io.github.lockstarter.demo.gallery.Gallery;
import io.github.lockstarter.demo.gallery.GalleryListener;
import io.github.lockstarter.demo.gallery.GalleryPlan;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import io.github.lockstarter.demo.gallery.exhibit.RoundEvent;
import io.github.lockstarter.demo.gallery.exhibit.SideResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Plays exhibits, prints timelines and a table, and removes everything. */
@Command(
        name = "gallery",
        description = "Shows locks that do not hold, each beside ours under the same steps and faults.",
        footer = "Exit status: 0 when each broken lock broke as predicted, and lock-starter lost no update, blocked no"
                + " caller and had one owner at a time (in late-write, two and a refused write); 1 when not, or"
                + " when something does not start; 2 when an option is wrong.",
        sortOptions = false)
final class GalleryCommand extends DemoCommand {

    /** Exhibits mostly wait, so two at a time keep two processors busy. */
    private static final int LANES = 2;

    private static final double MS_PER_SECOND = 1000;
    private static final double NANOS_PER_SECOND = 1e9;

    static final TextTable TABLE = new TextTable(
            List.of("exhibit", "what breaks it", "lock", "updates", "counter", "lost", "owners", "blocked"),
            List.of("exhibit", "what breaks it", "lock"));

    private static final List<String> COLUMNS = List.of("A", "B", "C", RoundEvent.SERVERS);
    private static final TextTable TIMELINE = new TextTable(List.of("s", "A", "B", "C", RoundEvent.SERVERS), COLUMNS);

    @Parameters(
            arity = "0..*",
            description = "what to play, by default all of them: ${COMPLETION-CANDIDATES}",
            completionCandidates = ExhibitNames.class)
    private List<Exhibit> exhibits = List.of();

    @Option(
            names = "--seed",
            defaultValue = "" + GalleryPlan.SEED,
            description = "chooses who takes which part, keys and pauses; never whether a fault happens")
    private long seed;

    private final Gallery gallery = new Gallery(new Printer());

    static final class ExhibitNames extends ArrayList<String> {

        private static final long serialVersionUID = 1;

        ExhibitNames() {
            super(Arrays.stream(Exhibit.values()).map(Exhibit::id).toList());
        }
    }

    @Override
    void check() {}

    @Override
    int execute() {
        long start = System.nanoTime();
        List<Exhibit> chosen = exhibits.isEmpty() ? List.of(Exhibit.values()) : exhibits;
        print("Starting the callers");
        chosen.stream()
                .filter(exhibit -> !exhibit.isPlayable())
                .forEach(exhibit -> print(exhibit.id() + " is left out: clocks cannot be moved here"));
        gallery.play(new GalleryPlan(chosen, seed, LANES)).join();
        List<ExhibitResult> results = gallery.state().results();
        print("");
        print(table(results));
        print(String.format(Locale.ROOT, "Seed %d, %.0f s", seed, (System.nanoTime() - start) / NANOS_PER_SECOND));
        return judge(results);
    }

    @Override
    void end() {
        gallery.close();
    }

    private int judge(List<ExhibitResult> results) {
        String wrong = results.stream()
                .filter(result -> !result.isAsPredicted())
                .map(ExhibitResult::id)
                .collect(Collectors.joining(", "));
        if (wrong.isEmpty()) {
            return 0;
        }
        print("Not as predicted: " + wrong + ". That should not happen; please report it.");
        return FAILED;
    }

    static String table(List<ExhibitResult> results) {
        return TABLE.layOut(results.stream()
                .flatMap(
                        result -> Stream.of(row(result, "broken", result.broken()), row(result, "ours", result.ours())))
                .toList());
    }

    private static List<String> row(ExhibitResult result, String lock, SideResult side) {
        return List.of(
                result.id(),
                Exhibit.of(result.id()).description().breaks(),
                lock,
                Long.toString(side.updates()),
                Long.toString(side.counter()),
                Long.toString(side.lost()),
                side.ownersAtOnce() == 0 ? "-" : Integer.toString(side.ownersAtOnce()),
                side.blocked() ? "yes" : "no");
    }

    /** One line per step, one column per caller and for the servers. */
    static String timeline(List<RoundEvent> steps) {
        return TIMELINE.layOut(steps.stream()
                .map(step -> Stream.concat(
                                Stream.of(String.format(Locale.ROOT, "%.2f", step.at() / MS_PER_SECOND)),
                                COLUMNS.stream().map(column -> column.equals(step.caller()) ? step.text() : ""))
                        .toList())
                .toList());
    }

    /** Prints exhibits as they end; synchronized, since several run at once. */
    private final class Printer implements GalleryListener {

        @Override
        public synchronized void played(ExhibitResult result) {
            Exhibit.Description exhibit = Exhibit.of(result.id()).description();
            print("\n" + result.id() + ": " + exhibit.title() + ". " + exhibit.flaw());
            printSide("broken", result.broken());
            print("  ours: " + exhibit.remedy());
            printSide("ours", result.ours());
        }

        private void printSide(String side, SideResult result) {
            print(timeline(result.steps()).indent(4).stripTrailing());
            print("  " + side + ": " + result.summary());
        }
    }
}
