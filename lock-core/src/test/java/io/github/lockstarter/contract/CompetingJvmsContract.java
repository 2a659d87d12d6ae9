package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.CompetingJvm.Mode;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.OverlapDetector;
import io.github.lockstarter.testing.OverlapDetector.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JVMs that compete for one lock, and the end of one that holds it. */
public abstract class CompetingJvmsContract {

    private static final int JVMS = 3;
    private static final int TIMES = Effort.of(15, 40);
    private static final int ALL = JVMS * CompetingJvm.THREADS * TIMES;
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** Of a holder that is killed. */
    private static final Duration BRIEF_LEASE = Duration.ofSeconds(8);

    private final Class<?> main;
    private final Supplier<LockStore> stores;

    @TempDir
    private Path directory;

    /**
     * The contract of a store.
     *
     * @param main calls {@link CompetingJvm#run}
     * @param stores connects to the same store in this JVM
     */
    protected CompetingJvmsContract(Class<?> main, Supplier<LockStore> stores) {
        this.main = main;
        this.stores = stores;
    }

    /** What {@code main} needs to find the store. */
    protected abstract List<String> address();

    /** Checks that the store has no lock and no waiter. */
    protected abstract void assertNothingLeft();

    @Test
    void losesNoIncrement() throws IOException {
        Path file = file();
        OverlapDetector sections = sectionsOf(Mode.COUNT, file);

        assertThat(sections.count()).isEqualTo(ALL);
        assertThat(sections.overlaps()).isEmpty();
        assertThat(sections.fencingViolations()).isEmpty();
        assertThat(CompetingJvm.counted(file)).isEqualTo(ALL);
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void losesNoIncrementAmongReaders() throws IOException {
        try (LockStore store = stores.get()) {
            Needs.of(store).readers();
        }
        Path file = file();
        OverlapDetector sections = sectionsOf(Mode.COUNT_AMONG_READERS, file);

        assertThat(sections.count()).isEqualTo(ALL);
        assertThat(sections.overlaps()).isEmpty();
        assertThat(sections.fencingViolations()).isEmpty();
        assertThat(CompetingJvm.counted(file)).isEqualTo(ALL / CompetingJvm.RUNS_PER_WRITE);
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void findsOverlapsAndLostIncrementsWithoutTheLock() throws IOException {
        Path file = file();
        OverlapDetector sections = sectionsOf(Mode.COUNT_UNLOCKED, file);

        assertThat(sections.overlaps()).isNotEmpty();
        assertThat(CompetingJvm.counted(file)).isLessThan(ALL);
    }

    @Test
    @Tag(Effort.FULL)
    void acquiresAtTheEndOfTheLeaseWhenTheHolderIsKilled() throws IOException {
        try (LockStore store = stores.get();
                Application heir = Application.over(store.connect(), Application.settings(LEASE));
                ChildJvm holder = start(Mode.HOLD, file(), BRIEF_LEASE)) {
            String held = holder.awaitLine(line -> line.startsWith("held "), Patience.TIME);
            assertThat(heir.locks().tryAcquire(CompetingJvm.KEY)).isEmpty();

            holder.kill();

            LockRequest request = LockRequest.of(CompetingJvm.KEY).maxWait(Patience.TIME);
            try (LockHandle lock = heir.locks().acquire(request)) {
                assertThat(lock.fencingToken()).isGreaterThan(Long.parseLong(held.substring("held ".length())));
            }
        }
    }

    private Path file() throws IOException {
        return Files.writeString(directory.resolve("count"), "0");
    }

    private OverlapDetector sectionsOf(Mode mode, Path file) {
        List<ChildJvm> children =
                Stream.generate(() -> start(mode, file, LEASE)).limit(JVMS).toList();
        try {
            OverlapDetector sections = new OverlapDetector();
            for (ChildJvm child : children) {
                child.awaitLine("done"::equals, Patience.TIME.multipliedBy(3));
                child.lines().stream()
                        .filter(line -> line.startsWith("section "))
                        .forEach(line -> sections.record(section(child, line)));
            }
            return sections;
        } finally {
            children.forEach(ChildJvm::close);
        }
    }

    private ChildJvm start(Mode mode, Path file, Duration lease) {
        return ChildJvm.start(main, CompetingJvm.arguments(mode, TIMES, file, lease, address()));
    }

    private static Section section(ChildJvm child, String line) {
        String[] fields = line.split(" ", -1);
        return new Section(
                "JVM " + child.pid(),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                LockMode.valueOf(fields[4]));
    }
}
