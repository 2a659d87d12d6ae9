package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.Act;
import io.github.lockstarter.demo.experiment.run.ResultTable;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.experiment.run.RunResult;
import io.github.lockstarter.demo.experiment.run.Series;
import io.github.lockstarter.demo.experiment.stage.StagePlan;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/** The experiment in the terminal: sets up, runs each variant, prints the table, and leaves nothing behind. */
public final class ExperimentCommand {

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final long PROGRESS_MS = 500;

    private final ExperimentOptions options;
    private final PrintStream out;
    private final Experiment experiment;

    private ExperimentCommand(ExperimentOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.experiment = new Experiment(new Printer(out));
    }

    /**
     * Runs the command.
     *
     * @param arguments its options
     * @return the exit status
     */
    public static int run(List<String> arguments) {
        return run(arguments, System.out, System.err);
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.contains("--help")) {
            out.print(ExperimentOptions.HELP);
            out.print(GalleryOptions.HELP);
            return 0;
        }
        LoggingSystem.get(ExperimentCommand.class.getClassLoader())
                .setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.ERROR);
        try {
            if (GalleryOptions.areAskedFor(arguments)) {
                return new GalleryCommand(GalleryOptions.parse(arguments), out).run();
            }
            return new ExperimentCommand(ExperimentOptions.parse(arguments), out).run();
        } catch (UsageException wrong) {
            err.println(wrong.getMessage() + ".");
            return WRONG_USAGE;
        } catch (CompletionException | IllegalStateException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            err.println("The experiment failed: " + cause.getMessage());
            return FAILED;
        }
    }

    /** Ctrl-C ends the JVM by its shutdown hooks, while this thread still waits for an answer. */
    private int run() {
        Thread hook = new Thread(this::interrupted, "experiment-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            List<Series> results = runAll();
            out.println();
            out.print(ResultTable.of(results));
            out.print(ResultTable.actsOf(results));
            out.println();
            return judge(results);
        } finally {
            try {
                experiment.close();
            } finally {
                remove(hook);
            }
        }
    }

    private void interrupted() {
        try {
            experiment.close();
            out.println("Interrupted. Everything that was started has been ended.");
        } catch (RuntimeException failure) {
            out.println("Interrupted. " + failure.getMessage());
        }
    }

    /** Removes a shutdown hook; never returns when it runs already. */
    static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException underWay) {
            // It runs, and says so; this thread has nothing to add.
            LockSupport.park();
        }
    }

    /** By variant, and where that has several, by topology. */
    private List<Series> runAll() {
        List<Series> all = new ArrayList<>();
        for (StagePlan stage : options.stages()) {
            experiment.setUp(stage).join();
            all.addAll(runOn(stage));
        }
        all.sort(Comparator.comparingInt(series -> options.variants().indexOf(series.variant())));
        return all;
    }

    /** In turns, so that what else the machine does hits all alike. */
    private List<Series> runOn(StagePlan stage) {
        List<Variant> variants = options.variantsOn(stage);
        Map<Variant, List<RunResult>> results = new EnumMap<>(Variant.class);
        for (int repetition = 1; repetition <= options.repetitions(); repetition++) {
            for (Variant variant : variants) {
                experiment.awaitInstances();
                out.println(announcement(variant, stage, repetition));
                results.computeIfAbsent(variant, none -> new ArrayList<>())
                        .add(await(experiment.run(variant, options.requests(), acts())));
            }
        }
        return results.entrySet().stream()
                .map(entry -> new Series(entry.getKey(), stage.locksOf(entry.getKey()), entry.getValue()))
                .toList();
    }

    private String announcement(Variant variant, StagePlan stage, int repetition) {
        String where = variant == Variant.V3 ? " over " + stage.locksOf(variant) : "";
        String turn = options.repetitions() == 1 ? "" : ", run " + repetition + " of " + options.repetitions();
        return variant.id() + " (" + variant.title() + where + turn + "): " + options.requests() + " requests at once";
    }

    private List<Act> acts() {
        return options.chaos() ? Act.CHAOS : List.of();
    }

    private RunResult await(CompletableFuture<RunResult> run) {
        while (true) {
            try {
                return run.get(PROGRESS_MS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException underWay) {
                out.println("  " + experiment.answered() + " answered");
            } catch (ExecutionException failure) {
                throw new CompletionException(failure.getCause());
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted", interrupt);
            }
        }
    }

    private int judge(List<Series> results) {
        List<String> wrong = results.stream()
                .filter(series -> series.variant().isExact() && !series.isExact())
                .map(series -> series.variant().id() + " (" + series.locks() + ")")
                .toList();
        if (!wrong.isEmpty()) {
            out.println("Not exact: " + String.join(", ", wrong) + ". That should not happen; please report it.");
            return FAILED;
        }
        if (results.stream().anyMatch(series -> series.variant().isLocked() && !series.isComplete())) {
            out.println(
                    "Not all of the chaos of v3 and v4 met somebody: this proves less than was asked for. Raise --requests.");
            return FAILED;
        }
        return 0;
    }

    /** What is worth a line. */
    private record Printer(PrintStream out) implements ExperimentListener {

        @Override
        public void progressed(String text) {
            out.println(text);
        }

        @Override
        public void happened(RunEvent event) {
            if (event instanceof RunEvent.Acted acted) {
                out.printf("  %.1f s: %s%n", acted.at() / 1000, acted.text());
            }
        }
    }
}
