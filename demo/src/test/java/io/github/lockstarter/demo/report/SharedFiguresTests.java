package io.github.lockstarter.demo.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.report.SharedFigures.Figure;
import io.github.lockstarter.demo.report.SharedFigures.Section;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes, each with the file in its memory. */
class SharedFiguresTests {

    private static final long FIRST = SharedFigures.CALLERS + 1;
    private static final long SECOND = 2 * SharedFigures.CALLERS + 1;

    private SharedFigures one;
    private SharedFigures other;

    @BeforeEach
    void map(@TempDir Path directory) {
        one = SharedFigures.in(directory.resolve("figures"));
        other = SharedFigures.in(directory.resolve("figures"));
    }

    @Test
    void findsNoFaultInOneSectionAfterTheOther() {
        one.leave(Section.SHORT, FIRST, one.enter(Section.SHORT, FIRST, 7));
        other.leave(Section.SHORT, SECOND, other.enter(Section.SHORT, SECOND, 8));

        assertThat(one.completed(Section.SHORT)).isEqualTo(2);
        assertThat(one.overlaps(Section.SHORT)).isZero();
        assertThat(one.lostUpdates(Section.SHORT)).isZero();
        assertThat(one.of(Figure.STALE_TOKENS)).isZero();
    }

    @Test
    void findsTwoCallersInASectionAndTheUpdateThatOneLost() {
        long counter = one.enter(Section.SHORT, FIRST, 7);
        other.leave(Section.SHORT, SECOND, other.enter(Section.SHORT, SECOND, 8));
        one.leave(Section.SHORT, FIRST, counter);

        assertThat(other.overlaps(Section.SHORT)).isEqualTo(1);
        assertThat(other.lostUpdates(Section.SHORT)).isEqualTo(1);
        assertThat(other.overlaps(Section.LONG)).isZero();
    }

    @Test
    void findsAFencingTokenThatIsNotAboveTheOneBefore() {
        one.leave(Section.SHORT, FIRST, one.enter(Section.SHORT, FIRST, 7));
        other.leave(Section.SHORT, SECOND, other.enter(Section.SHORT, SECOND, 7));

        assertThat(one.of(Figure.STALE_TOKENS)).isEqualTo(1);
    }

    @Test
    void countsTheOwnerAfterAKilledOneAsATakeover() {
        one.enter(Section.LONG, FIRST, 7);
        assertThat(other.instanceIn(Section.LONG)).hasValue(1);
        other.willKill(1);
        other.enter(Section.LONG, SECOND, 8);

        assertThat(other.overlaps(Section.LONG)).isZero();
        assertThat(other.of(Figure.TAKEN_OVER_AFTER)).isPositive();
        one.enter(Section.LONG, 3 * SharedFigures.CALLERS, 9);
        assertThat(other.overlaps(Section.LONG)).isEqualTo(1);
    }

    @Test
    void tellsWaitsToAnEighth() {
        assertThat(one.waitOf(1)).isZero();
        IntStream.rangeClosed(1, 1_000).forEach(millis -> one.waited(Duration.ofMillis(millis)));

        assertThat(other.waitOf(0.5)).isBetween(Duration.ofMillis(500), Duration.ofMillis(563));
        assertThat(other.waitOf(0.99)).isBetween(Duration.ofMillis(990), Duration.ofMillis(1_114));
        assertThat(other.waitOf(1)).isBetween(Duration.ofMillis(1_000), Duration.ofMillis(1_125));
    }
}
