package io.github.lockstarter.demo.gallery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import io.github.lockstarter.demo.gallery.exhibit.RoundEvent;
import io.github.lockstarter.demo.gallery.exhibit.SideResult;
import io.github.lockstarter.kit.Patience;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plays each exhibit once on real servers. The broken locks are the control: each must break. */
@Tag("full")
class GalleryIT {

    private static final Gallery GALLERY = new Gallery(new GalleryListener() {});

    /** Servers of other tests in this JVM, whose applications continue. */
    private static final Set<ProcessHandle> OTHERS =
            ProcessHandle.current().descendants().collect(Collectors.toSet());

    @BeforeAll
    static void play() {
        GALLERY.play(new GalleryPlan(List.of(Exhibit.values()), 2026, 2)).join();
    }

    @AfterAll
    static void end() {
        GALLERY.close();
    }

    @Test
    void breaksEachBrokenLockAsPredicted() {
        assertThat(GALLERY.state().results())
                .extracting(ExhibitResult::id, result -> figures(result.broken()))
                .containsExactlyElementsOf(playable(
                        tuple("incr", tuple(60L, 60L, 0, false)),
                        tuple("setnx", tuple(0L, 0L, 1, true)),
                        tuple("setnx-expire", tuple(0L, 0L, 1, true)),
                        tuple("fixed-value", tuple(3L, 2L, 2, false)),
                        tuple("get-del", tuple(3L, 2L, 2, false)),
                        tuple("no-watchdog", tuple(2L, 1L, 2, false)),
                        tuple("failover", tuple(2L, 1L, 2, false)),
                        tuple("double-failover", tuple(3L, 1L, 3, false)),
                        tuple("redlock-clock", tuple(2L, 1L, 2, false)),
                        tuple("redlock-restart", tuple(2L, 1L, 2, false)),
                        tuple("late-write", tuple(2L, 1L, 2, false))));
    }

    @Test
    void losesNothingWithOurLock() {
        // On a machine that stalls for longer than a lease, a write may be rejected.
        assertThat(GALLERY.state().results())
                .extracting(
                        ExhibitResult::id,
                        result -> result.ours().updates() + result.ours().refusedWrites(),
                        result -> result.ours().lost(),
                        result -> result.ours().ownersAtOnce(),
                        result -> result.ours().blocked())
                .containsExactlyElementsOf(playable(
                        tuple("incr", 60L, 0L, 0, false),
                        tuple("setnx", 2L, 0L, 1, false),
                        tuple("setnx-expire", 2L, 0L, 1, false),
                        tuple("fixed-value", 3L, 0L, 1, false),
                        tuple("get-del", 3L, 0L, 1, false),
                        tuple("no-watchdog", 2L, 0L, 1, false),
                        tuple("failover", 2L, 0L, 1, false),
                        tuple("double-failover", 3L, 0L, 1, false),
                        tuple("redlock-clock", 2L, 0L, 1, false),
                        tuple("redlock-restart", 2L, 0L, 1, false),
                        tuple("late-write", 2L, 0L, 2, false)));
        assertThat(GALLERY.state().results()).allMatch(ExhibitResult::isAsPredicted);
    }

    @Test
    void theHolderHasItsLockAgainAfterAFailover() {
        assertThat(GALLERY.state().results())
                .filteredOn(result -> result.id().equals("failover"))
                .singleElement()
                .satisfies(result -> assertThat(result.ours().steps())
                        .extracting(RoundEvent::kind)
                        .doesNotContain("lost"));
    }

    @Test
    void refusesTheLateWrite() {
        ExhibitResult lateWrite = GALLERY.state().results().stream()
                .filter(result -> result.id().equals("late-write"))
                .findFirst()
                .orElseThrow();

        assertThat(lateWrite.ours().refusedWrites()).isEqualTo(1);
        assertThat(lateWrite.ours().steps())
                .extracting(RoundEvent::kind)
                .contains("stopped", "goes-on", "write-refused");
        assertThat(lateWrite.broken().refusedWrites()).isZero();
        assertThat(lateWrite.broken().steps()).extracting(RoundEvent::kind).doesNotContain("write-refused");
    }

    @Test
    void leavesNothingBehind() {
        assertThat(started()).isEmpty();
    }

    /** While its callers start, and while the servers of the exhibit start: the first two are those of the counters. */
    @ParameterizedTest
    @CsvSource({"lock-demo-caller-, 1", "lock-kit-redis-server-, 3"})
    void leavesNothingBehindWhenStoppedDuringTheStart(String program, int count) {
        try (Gallery gallery = new Gallery(new GalleryListener() {})) {
            CompletableFuture<Void> played = gallery.play(new GalleryPlan(List.of(Exhibit.DOUBLE_FAILOVER), 2026, 1));
            await().atMost(Patience.TIME).until(() -> directories(program) >= count);
            assertThat(played).isNotDone();

            gallery.cancel();

            assertThat(started()).isEmpty();
            assertThat(played).failsWithin(Patience.TIME);
            assertThat(gallery.state().failure()).isNull();
        }
    }

    /** How many of a program were started: the command lines of each contain its directory. */
    private static long directories(String program) {
        Pattern name = Pattern.compile(program + "[^ /]+");
        return started().stream()
                .flatMap(line -> name.matcher(line).results())
                .map(MatchResult::group)
                .distinct()
                .count();
    }

    private static List<String> started() {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> !OTHERS.contains(process))
                .map(process -> process.info().commandLine().orElse(""))
                .filter(line -> line.contains("lock-demo-caller-") || line.contains("lock-kit-redis-server-"))
                .toList();
    }

    /** Not everywhere can a clock be moved. */
    private static List<Tuple> playable(Tuple... expected) {
        return Stream.of(expected)
                .filter(row -> Exhibit.of(row.toList().get(0).toString()).isPlayable())
                .toList();
    }

    private static Tuple figures(SideResult side) {
        return tuple(side.updates(), side.counter(), side.ownersAtOnce(), side.blocked());
    }
}
