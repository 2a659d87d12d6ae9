package io.github.lockstarter.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three JVMs with a scheduled job, each of which gets SIGTERM while it runs the job, and is replaced. Compares times of
 * {@link System#nanoTime()} between JVMs, which one machine counts from the same origin.
 */
@Tag(Effort.FULL)
class RollingRestartIT {

    private static final int SIGTERM_EXIT = 128 + 15;

    /** The job runs until the application is closed. */
    private static final String UNTIL_CLOSED = "--test.work-ms=600000";

    private static final String SHORT = "--test.work-ms=100";

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final List<ChildJvm> all = new ArrayList<>();

    /** A run of the job that has ended, in a JVM. */
    private record Run(ChildJvm jvm, long begunAt, long endedAt, boolean wasHeldAtItsEnd) {

        static Stream<Run> of(ChildJvm jvm) {
            List<String[]> begun = words(jvm, RollingRestartApplication.BEGUN);
            List<String[]> ended = words(jvm, RollingRestartApplication.ENDED);
            return Stream.iterate(0, i -> i < Math.min(begun.size(), ended.size()), i -> i + 1)
                    .map(i -> new Run(
                            jvm,
                            Long.parseLong(begun.get(i)[1]),
                            Long.parseLong(ended.get(i)[1]),
                            Boolean.parseBoolean(ended.get(i)[2])));
        }

        private static List<String[]> words(ChildJvm jvm, String first) {
            return jvm.lines().stream()
                    .filter(line -> line.startsWith(first + " "))
                    .map(line -> line.split(" ", -1))
                    .toList();
        }

        boolean overlaps(Run next) {
            return next.begunAt - endedAt < 0;
        }
    }

    @AfterEach
    void kill() {
        all.forEach(ChildJvm::close);
    }

    /** The first JVM ends its job within the shutdown phase; the job of the others takes longer than the phases. */
    @Test
    void hasAtMostOneOwnerDuringARollingRestart() {
        List<ChildJvm> old = new ArrayList<>(
                List.of(start(UNTIL_CLOSED), start(UNTIL_CLOSED, "100ms"), start(UNTIL_CLOSED, "100ms")));
        List<ChildJvm> replaced = List.copyOf(old);
        List<ChildJvm> replacements = new ArrayList<>();
        while (!old.isEmpty()) {
            ChildJvm owner = awaitOwner(old);
            old.remove(owner);
            terminate(owner);
            replacements.add(start(SHORT));
            assertThat(owner.awaitExit(Patience.TIME)).isEqualTo(SIGTERM_EXIT);
            awaitLine(replacements.get(replacements.size() - 1), RollingRestartApplication.READY);
        }
        replacements.forEach(jvm -> awaitLine(jvm, RollingRestartApplication.ENDED));

        assertThat(replaced).allSatisfy(jvm -> assertThat(Run.of(jvm))
                .as("runs until the exit: %s", jvm.lines())
                .singleElement()
                .matches(Run::wasHeldAtItsEnd));
        assertThat(overlaps()).isEmpty();
    }

    @Test
    void theCheckFindsTwoOwnersIfTheShutdownReleasesTheLocks() {
        ChildJvm owner = start(UNTIL_CLOSED, "30s", "--test.release-on-close=true");
        awaitLine(owner, RollingRestartApplication.BEGUN);
        awaitLine(start(SHORT), RollingRestartApplication.READY);
        terminate(owner);
        assertThat(owner.awaitExit(Patience.TIME)).isEqualTo(SIGTERM_EXIT);
        awaitLine(all.get(1), RollingRestartApplication.ENDED);

        assertThat(Run.of(owner)).singleElement().matches(run -> !run.wasHeldAtItsEnd());
        assertThat(overlaps()).isNotEmpty();
    }

    private List<String> overlaps() {
        List<Run> runs = all.stream()
                .flatMap(Run::of)
                .sorted(Comparator.comparingLong(Run::begunAt))
                .toList();
        return Stream.iterate(1, i -> i < runs.size(), i -> i + 1)
                .filter(i -> runs.get(i - 1).overlaps(runs.get(i)))
                .map(i -> runs.get(i - 1) + " and " + runs.get(i))
                .toList();
    }

    private ChildJvm start(String work) {
        return start(work, "30s");
    }

    private ChildJvm start(String work, String phase, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                work,
                "--spring.lifecycle.timeout-per-shutdown-phase=" + phase,
                "--spring.task.scheduling.shutdown.await-termination=true",
                "--spring.task.scheduling.shutdown.await-termination-period=60s"));
        arguments.addAll(List.of(more));
        ChildJvm jvm = ChildJvm.start(
                RollingRestartApplication.class,
                RedisApplication.arguments(REDIS.server(), arguments.toArray(String[]::new)));
        all.add(jvm);
        return jvm;
    }

    /** SIGTERM alone: the shutdown may take as long as its job. */
    private static void terminate(ChildJvm jvm) {
        assertThat(ProcessHandle.of(jvm.pid()).orElseThrow().destroy()).isTrue();
    }

    private static void awaitLine(ChildJvm jvm, String word) {
        jvm.awaitLine(line -> line.startsWith(word), Patience.TIME);
    }

    private static ChildJvm awaitOwner(List<ChildJvm> jvms) {
        assertThat(Polling.until(() -> jvms.stream().anyMatch(RollingRestartIT::hasBegun)))
                .as("one of %s runs the job", jvms.stream().map(ChildJvm::lines).toList())
                .isTrue();
        return jvms.stream().filter(RollingRestartIT::hasBegun).findFirst().orElseThrow();
    }

    private static boolean hasBegun(ChildJvm jvm) {
        return jvm.lines().stream().anyMatch(line -> line.startsWith(RollingRestartApplication.BEGUN));
    }
}
