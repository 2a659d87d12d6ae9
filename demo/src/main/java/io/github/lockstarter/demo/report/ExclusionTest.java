package io.github.lockstarter.demo.report;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.process.ChildProgram;
import io.github.lockstarter.demo.process.Closer;
import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.demo.report.ReportInstance.Assignment;
import io.github.lockstarter.demo.report.SharedFigures.Figure;
import io.github.lockstarter.demo.report.SharedFigures.Phase;
import io.github.lockstarter.demo.report.SharedFigures.Section;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.process.ScratchDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;

/**
 * JVMs that contend for two locks and check exclusion in a memory of their own, first without the lock: a check that
 * finds no overlap then proves nothing.
 *
 * <p>One thread runs it; any thread may close it, which kills the instances.
 */
final class ExclusionTest implements AutoCloseable {

    static final int INSTANCES = 3;

    /** A shorter test has no time for a crash. */
    static final int SHORTEST_WITH_CRASH = 20;

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration CONTROL = Duration.ofSeconds(2);
    private static final Duration END = Duration.ofSeconds(30);

    /** How much longer than planned a phase waits for its first result, on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Duration time;
    private final Consumer<String> progress;
    private final Closer closer = new Closer();
    private final Set<String> failures = new ConcurrentSkipListSet<>();
    private final List<ChildProgram> instances = new ArrayList<>();
    private final SharedFigures figures;
    private final Path file;

    /**
     * Starts nothing yet.
     *
     * @param time with the lock
     * @param progress receives what is under way
     */
    ExclusionTest(Duration time, Consumer<String> progress) {
        this.time = time;
        this.progress = progress;
        this.file =
                closer.add(ScratchDirectory.create("lock-demo-report-")).path().resolve("figures");
        this.figures = SharedFigures.in(file);
    }

    SharedFigures figures() {
        return figures;
    }

    /** The messages of failed calls, without repetitions. */
    Set<String> failures() {
        return failures;
    }

    boolean isWithCrash() {
        return time.toSeconds() >= SHORTEST_WITH_CRASH;
    }

    /**
     * Runs it.
     *
     * @param settings of the locks
     */
    void run(ServerSettings settings) {
        progress.accept("Starting " + INSTANCES + " instances");
        for (int number = 1; number <= INSTANCES; number++) {
            ChildProgram instance = closer.add(
                    new ChildProgram("report-" + number, List.of(DemoApp.REPORT_INSTANCE), this::read, () -> {}));
            instances.add(instance);
            instance.send(ReportInstance.JSON.writeValueAsString(new Assignment(file.toString(), number, settings)));
        }
        awaitInstances();
        figures.begin(Phase.UNLOCKED);
        progress.accept("Without the lock, to see that the check finds overlaps");
        Sleep.lasting(CONTROL);
        Polling.until(() -> figures.overlaps(Section.UNPROTECTED) > 0, PATIENCE);
        figures.begin(Phase.LOCKED);
        progress.accept("With the lock, " + time.toSeconds() + " s");
        if (isWithCrash()) {
            Sleep.lasting(time.dividedBy(2));
            killHolder();
            Sleep.lasting(time.dividedBy(2));
        } else {
            Sleep.lasting(time);
        }
        Polling.until(
                () -> figures.completed(Section.SHORT) > 0
                        && (figures.completed(Section.LONG) > 0
                                || figures.instanceIn(Section.LONG).isPresent()),
                PATIENCE);
        figures.begin(Phase.OVER);
        Polling.until(() -> instances.stream().noneMatch(ChildProgram::isRunning), END);
    }

    private void read(String line) {
        if (line.startsWith(ReportInstance.FAILURE)) {
            failures.add(line.substring(ReportInstance.FAILURE.length()));
        }
    }

    private void awaitInstances() {
        Polling.until(
                () -> figures.of(Figure.READY) == INSTANCES
                        || !instances.stream().allMatch(ChildProgram::isRunning),
                START);
        instances.stream().filter(instance -> !instance.isRunning()).findAny().ifPresent(ended -> {
            throw new IllegalStateException("An instance has ended:\n" + ended.lastErrors());
        });
        if (figures.of(Figure.READY) < INSTANCES) {
            throw new IllegalStateException("The instances did not start within " + START.toSeconds() + " s");
        }
    }

    private void killHolder() {
        Polling.until(() -> figures.instanceIn(Section.LONG).isPresent(), PATIENCE);
        figures.instanceIn(Section.LONG).ifPresent(number -> {
            progress.accept("kill -9 of instance " + number + ", which has a lock");
            figures.willKill(number);
            instances.get(number - 1).close();
        });
    }

    @Override
    public void close() {
        closer.close();
    }
}
