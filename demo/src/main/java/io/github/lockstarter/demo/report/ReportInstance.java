package io.github.lockstarter.demo.report;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.demo.report.SharedFigures.Figure;
import io.github.lockstarter.demo.report.SharedFigures.Phase;
import io.github.lockstarter.demo.report.SharedFigures.Section;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/**
 * One of the instances that contend for two locks, {@code java -jar lock-demo.jar report-instance}; internal. Reads
 * its {@link Assignment} from standard input, where no list of processes shows a password, and prints failures.
 */
public final class ReportInstance {

    /** Begins a line about a failed call. */
    static final String FAILURE = "failure ";

    static final JsonMapper JSON = JsonMapper.builder().build();

    /** Threads that use the short section; one more uses the long one. */
    static final int SHORT_CALLERS = 3;

    private static final Duration WORK = Duration.ofNanos(200_000);
    private static final int LONGEST_REST_NANOS = 1_000_000;
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final Duration REST_AFTER_FAILURE = Duration.ofMillis(200);
    private static final Duration WAIT = Duration.ofSeconds(30);

    private final Assignment assignment;
    private final SharedFigures figures;
    private final LockTemplate locks;
    private final Duration longWork;
    private final PrintStream output;

    /**
     * What an instance is to do.
     *
     * @param figures file of the {@link SharedFigures}
     * @param number from 1
     * @param settings of the application
     */
    record Assignment(String figures, int number, ServerSettings settings) {}

    private ReportInstance(
            Assignment assignment,
            SharedFigures figures,
            ConfigurableApplicationContext application,
            PrintStream output) {
        this.assignment = assignment;
        this.figures = figures;
        this.locks = application.getBean(LockTemplate.class);
        this.longWork =
                application.getBean(LockSettings.class).lease().multipliedBy(3).dividedBy(2);
        this.output = output;
    }

    /** Runs until the report is over, and ends this JVM. */
    public static void run() {
        PrintStream output = System.out;
        System.setOut(System.err);
        Assignment assignment = JSON.readValue(firstLine(), Assignment.class);
        SharedFigures figures = SharedFigures.in(Path.of(assignment.figures()));
        LockListener renewals = new LockListener() {
            @Override
            public void onEvent(LockEvent event) {
                if (event instanceof LockEvent.Renewed renewed
                        && renewed.outcome() == LockEvent.RenewalOutcome.RENEWED) {
                    figures.count(Figure.RENEWED);
                }
            }
        };
        try (ConfigurableApplicationContext application = ReportApplication.start(assignment.settings(), renewals)) {
            new ReportInstance(assignment, figures, application, output).callUntilOver();
        }
        System.exit(0);
    }

    private static String firstLine() {
        try {
            return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void callUntilOver() {
        List<Thread> callers = new ArrayList<>();
        for (int number = 0; number <= SHORT_CALLERS; number++) {
            Section section = number == 0 ? Section.LONG : Section.SHORT;
            long caller = (long) assignment.number() * SharedFigures.CALLERS + number;
            Thread thread = new Thread(() -> callUntilOver(section, caller), "caller-" + number);
            thread.start();
            callers.add(thread);
        }
        figures.count(Figure.READY);
        for (Thread thread : callers) {
            try {
                thread.join();
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void callUntilOver(Section section, long caller) {
        for (Phase phase = figures.phase(); phase != Phase.OVER; phase = figures.phase()) {
            if (phase == Phase.LOCKED) {
                callLocked(section, caller);
            } else if (phase == Phase.UNLOCKED && section == Section.SHORT) {
                use(Section.UNPROTECTED, caller, 0);
            } else {
                Sleep.lasting(LOOK);
            }
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(LONGEST_REST_NANOS));
        }
    }

    private void callLocked(Section section, long caller) {
        long begin = System.nanoTime();
        try (LockHandle lock = locks.acquire(LockRequest.of(section.lock())
                .maxWait(section == Section.LONG ? WAIT.plus(longWork.multipliedBy(ExclusionTest.INSTANCES)) : WAIT))) {
            if (section == Section.SHORT) {
                figures.waited(Duration.ofNanos(System.nanoTime() - begin));
            }
            use(section, caller, lock.fencingToken());
        } catch (LockNotAcquiredException contended) {
            figures.count(Figure.GAVE_UP);
        } catch (LockLostException lost) {
            figures.count(Figure.LOST);
            report(lost);
        } catch (LockBackendException failure) {
            figures.count(Figure.FAILED);
            report(failure);
            Sleep.lasting(REST_AFTER_FAILURE);
        }
    }

    private void report(RuntimeException failure) {
        output.println(FAILURE + failure.getMessage());
    }

    private void use(Section section, long caller, long fencingToken) {
        long counter = figures.enter(section, caller, fencingToken);
        long begin = System.nanoTime();
        Duration work = section == Section.LONG ? longWork : WORK;
        do {
            LockSupport.parkNanos(Math.min(work.toNanos(), LOOK.toNanos()));
        } while (System.nanoTime() - begin < work.toNanos() && figures.phase() != Phase.OVER);
        figures.leave(section, caller, counter);
    }
}
