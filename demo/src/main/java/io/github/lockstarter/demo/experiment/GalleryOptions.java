package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.gallery.GalleryPlan;
import io.github.lockstarter.demo.gallery.play.Exhibit;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the command line asks for where it asks for the gallery of broken locks. */
final class GalleryOptions {

    static final String HELP = """

            Or shows locks that do not hold, each beside ours under the same steps and faults:

              --gallery                all of them, or some: --gallery=setnx,failover. There are
                                       %s
              --seed=%d              who plays which part, keys and pauses; never whether a fault happens
              --rounds=%d               how often each is played, 1 to %d

            Exit status: 0 when each broken lock broke as predicted, and ours lost nothing, blocked nobody
            and had one owner at a time (in late-write, two and a refused write), 1 when not, or when
            something does not start, 2 when an option is wrong.
            """.formatted(wrapped(), GalleryPlan.SEED, GalleryPlan.ROUNDS, GalleryPlan.MOST_ROUNDS);

    /** Most of the time is waiting: two exhibits at a time keep two processors busy. */
    private static final int LANES = 2;

    private static final String GALLERY = "--gallery";
    private static final String SEED = "--seed";
    private static final String ROUNDS = "--rounds";

    private GalleryOptions() {}

    /** Whether the gallery is asked for. */
    static boolean areAskedFor(List<String> arguments) {
        return arguments.stream().anyMatch(argument -> nameOf(argument).equals(GALLERY));
    }

    /**
     * Reads the options.
     *
     * @throws UsageException when one is unknown, or out of range
     */
    static GalleryPlan parse(List<String> arguments) {
        GalleryPlan plan = new GalleryPlan(List.of(Exhibit.values()), GalleryPlan.SEED, GalleryPlan.ROUNDS, LANES);
        for (String argument : arguments) {
            plan = with(plan, argument);
        }
        return plan;
    }

    private static GalleryPlan with(GalleryPlan plan, String argument) {
        String name = nameOf(argument);
        String value = argument.substring(Math.min(argument.length(), name.length() + 1));
        return switch (name) {
            case GALLERY -> new GalleryPlan(exhibits(argument, value), plan.seed(), plan.rounds(), LANES);
            case SEED -> new GalleryPlan(plan.exhibits(), seed(value), plan.rounds(), LANES);
            case ROUNDS -> new GalleryPlan(plan.exhibits(), plan.seed(), rounds(value), LANES);
            default ->
                throw new UsageException("--gallery goes with --seed and --rounds only, and not with '" + argument
                        + "'. Leave one of them out");
        };
    }

    private static List<Exhibit> exhibits(String argument, String value) {
        if (argument.equals(GALLERY)) {
            return List.of(Exhibit.values());
        }
        List<Exhibit> named =
                Stream.of(value.split(",", -1)).map(GalleryOptions::exhibit).toList();
        return Arrays.stream(Exhibit.values()).filter(named::contains).toList();
    }

    private static Exhibit exhibit(String id) {
        return Exhibit.of(id)
                .orElseThrow(() -> new UsageException("--gallery has '" + id + "', which is unknown. Choose from "
                        + ids() + ", with commas and without blanks"));
    }

    private static long seed(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new UsageException(
                    SEED + "='" + value + "' is no whole number. Write for instance " + SEED + "=" + GalleryPlan.SEED);
        }
    }

    private static int rounds(String value) {
        if (!value.matches("[1-" + GalleryPlan.MOST_ROUNDS + "]")) {
            throw new UsageException(ROUNDS + "='" + value + "' is no number from 1 to " + GalleryPlan.MOST_ROUNDS
                    + ". Write for instance " + ROUNDS + "=" + GalleryPlan.ROUNDS);
        }
        return Integer.parseInt(value);
    }

    private static String nameOf(String argument) {
        int equals = argument.indexOf('=');
        return equals < 0 ? argument : argument.substring(0, equals);
    }

    private static String ids() {
        return Arrays.stream(Exhibit.values()).map(Exhibit::id).collect(Collectors.joining(","));
    }

    private static String wrapped() {
        return ids().replace(",get-del", ",\n                           get-del")
                .replace(",redlock-clock", ",\n                           redlock-clock");
    }
}
