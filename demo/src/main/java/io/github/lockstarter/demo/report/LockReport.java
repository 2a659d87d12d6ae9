package io.github.lockstarter.demo.report;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.report.SharedFigures.Figure;
import io.github.lockstarter.demo.report.SharedFigures.Section;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Tries the locks on a given server: the start check of the starter, then an {@link ExclusionTest}. Run by one thread;
 * any thread may close it.
 */
public final class LockReport implements AutoCloseable {

    private static final String BUILD = "/META-INF/maven/io.github.lockstarter/lock-core/pom.properties";
    private static final LockListener NOBODY = event -> {};
    private static final int MOST_FAILURES = 5;
    private static final double MEDIAN = 0.5;
    private static final double HIGH = 0.99;
    private static final double LONGEST = 1;
    private static final double NANOS_PER_SECOND = 1e9;

    /** The end of a report. */
    public enum Verdict {
        WORKS,
        /** The locks exclude each other, but calls failed, or the server lacks what a promise needs. */
        DEGRADED,
        /** Startup fails. */
        REFUSED,
        /** Two callers were in a locked section at a time, or the control found no overlap. */
        FAILED
    }

    private final ExclusionTest test;
    private final List<String> lines = new ArrayList<>();
    private ServerSettings settings;

    /**
     * Starts nothing yet.
     *
     * @param settings of the server and the locks
     * @param time of the test with the lock
     * @param progress receives what is under way
     */
    public LockReport(ServerSettings settings, Duration time, Consumer<String> progress) {
        this.settings = settings;
        this.test = new ExclusionTest(time, progress);
    }

    /** Runs everything. */
    public Verdict run() {
        add("lock-starter", "%s, %s", version(), LocalDate.now(ZoneOffset.UTC));
        add(
                "client",
                "Java %s, Spring Boot %s, %s %s, %d processors",
                Runtime.version(),
                SpringBootVersion.getVersion(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors());
        Verdict verdict;
        try {
            askServer();
            verdict = tryLocks();
        } catch (ReportApplication.StartException refused) {
            add("start check", "refused. %s", refused.getMessage());
            verdict = Verdict.REFUSED;
        }
        add("verdict", "%s", KebabCase.of(verdict));
        return verdict;
    }

    /** The report so far, without passwords. */
    public String text() {
        return masked(String.join("\n", lines));
    }

    /** The text without passwords. */
    public String masked(String text) {
        return settings.mask(text);
    }

    @Override
    public void close() {
        test.close();
    }

    /** Without locks, so that a server is described even if it cannot have them. */
    private void askServer() {
        ServerSettings withoutLocks = quiet().withoutLocks();
        try (ConfigurableApplicationContext application = ReportApplication.start(withoutLocks, NOBODY)) {
            settings = settings.in(application.getEnvironment());
            try (RedisConnection connection =
                    application.getBean(RedisConnectionFactory.class).getConnection()) {
                add("server", "%s", ServerDescription.of(connection));
                add("round trip", "%s", ServerDescription.millis(ServerDescription.roundTrip(connection)));
            } catch (DataAccessException failure) {
                add(
                        "server",
                        "does not describe itself: %s",
                        failure.getMostSpecificCause().getMessage());
            }
        }
    }

    /** The report has all that these applications log. */
    private ServerSettings quiet() {
        return settings.with("logging.level.root", "off");
    }

    private Verdict tryLocks() {
        try (ConfigurableApplicationContext application = ReportApplication.start(quiet(), NOBODY)) {
            LockAdmin locks = application.getBean(LockAdmin.class);
            StoreState state = locks.storeState().join();
            add("start check", "passed: %s", state.target());
            test.run(settings);
            return judge(locks.storeState().join());
        }
    }

    private Verdict judge(StoreState state) {
        SharedFigures figures = test.figures();
        describe(figures);
        List<String> missing = missing(state, figures);
        missing.forEach(what -> add("missing", "%s", what));
        state.warnings().forEach(warning -> add("warning", "%s", warning));
        if (figures.overlaps(Section.UNPROTECTED) == 0 || isBroken(figures)) {
            return Verdict.FAILED;
        }
        return missing.isEmpty() ? Verdict.WORKS : Verdict.DEGRADED;
    }

    private static boolean isBroken(SharedFigures figures) {
        return figures.of(Figure.STALE_TOKENS) > 0
                || Stream.of(Section.SHORT, Section.LONG)
                        .anyMatch(section -> figures.completed(section) == 0
                                || figures.overlaps(section) > 0
                                || figures.lostUpdates(section) > 0);
    }

    private static List<String> missing(StoreState state, SharedFigures figures) {
        List<String> missing = new ArrayList<>();
        state.failure().ifPresent(missing::add);
        if (state.guard() != Guard.GUARDED) {
            missing.add("history guard: " + KebabCase.of(state.guard()));
        }
        if (!state.hearsSignals()) {
            missing.add("signals: waiters retry");
        }
        CrashTakeover takeover = state.crashTakeover();
        if (takeover.state() != CrashTakeover.State.ON) {
            missing.add("crash takeover: " + takeover.reason());
        }
        long failed = figures.of(Figure.FAILED) + figures.of(Figure.GAVE_UP) + figures.of(Figure.LOST);
        if (failed > 0) {
            missing.add("answers to " + failed + " calls");
        }
        return missing;
    }

    private void describe(SharedFigures figures) {
        add("no lock", "%s (the control: must find overlaps)", exclusion(figures, Section.UNPROTECTED));
        add("short lock", "%s", exclusion(figures, Section.SHORT));
        add(
                "waits",
                "p50 %s, p99 %s, longest %s",
                ServerDescription.millis(figures.waitOf(MEDIAN)),
                ServerDescription.millis(figures.waitOf(HIGH)),
                ServerDescription.millis(figures.waitOf(LONGEST)));
        add(
                "long lock",
                "%s; %d renewals of leases shorter than a section",
                exclusion(figures, Section.LONG),
                figures.of(Figure.RENEWED));
        add("tokens", "%d not above the one before", figures.of(Figure.STALE_TOKENS));
        add(
                "calls",
                "%d gave up, %d failed, %d lost the lock (which explains an overlap)",
                figures.of(Figure.GAVE_UP),
                figures.of(Figure.FAILED),
                figures.of(Figure.LOST));
        test.failures().stream().limit(MOST_FAILURES).forEach(failure -> add("", "%s", failure));
        add("kill -9", "%s", crash(figures));
    }

    private String crash(SharedFigures figures) {
        long nanos = figures.of(Figure.TAKEN_OVER_AFTER);
        if (nanos > 0) {
            return String.format(Locale.ROOT, "next owner of the long lock after %.1f s", nanos / NANOS_PER_SECOND);
        }
        return test.isWithCrash()
                ? "no next owner"
                : "not tried in less than " + ExclusionTest.SHORTEST_WITH_CRASH + " s";
    }

    private static String exclusion(SharedFigures figures, Section section) {
        return String.format(
                Locale.ROOT,
                "%d sections, %d overlaps, %d lost updates",
                figures.completed(section),
                figures.overlaps(section),
                figures.lostUpdates(section));
    }

    private static String version() {
        try (InputStream build = LockAdmin.class.getResourceAsStream(BUILD)) {
            Properties properties = new Properties();
            if (build != null) {
                properties.load(build);
            }
            return properties.getProperty("version", "of unknown version");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void add(String label, String format, @Nullable Object... values) {
        lines.add(String.format(Locale.ROOT, "%-14s", label) + String.format(Locale.ROOT, format, values));
    }
}
