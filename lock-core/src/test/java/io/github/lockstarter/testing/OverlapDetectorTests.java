package io.github.lockstarter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.testing.OverlapDetector.Section;
import org.junit.jupiter.api.Test;

class OverlapDetectorTests {

    private final OverlapDetector detector = new OverlapDetector();

    @Test
    void acceptsSectionsThatFollowEachOther() {
        detector.record(new Section("b", 20, 30, 2));
        detector.record(new Section("a", 10, 20, 1));

        assertThat(detector.overlaps()).isEmpty();
        assertThat(detector.fencingViolations()).isEmpty();
        assertThat(detector.count()).isEqualTo(2);
    }

    @Test
    void findsASectionThatBeginsBeforeThePreviousOneEnds() {
        detector.record(new Section("a", 10, 20, 1));
        detector.record(new Section("b", 19, 30, 2));

        assertThat(detector.overlaps()).singleElement().asString().contains("owner=a", "owner=b");
    }

    @Test
    void findsAnOverlapWithALongSectionThatBeganFarEarlier() {
        detector.record(new Section("long", 0, 100, 1));
        detector.record(new Section("short", 10, 20, 2));
        detector.record(new Section("late", 90, 110, 3));

        assertThat(detector.overlaps()).isNotEmpty();
    }

    @Test
    void findsARepeatedAndAFallingFencingToken() {
        detector.record(new Section("a", 10, 20, 5));
        detector.record(new Section("b", 20, 30, 5));
        detector.record(new Section("c", 30, 40, 4));

        assertThat(detector.fencingViolations()).hasSize(2);
    }

    @Test
    void acceptsReadersBesideEachOtherWithOneFencingToken() {
        detector.record(new Section("writer", 0, 10, 1));
        detector.record(new Section("a", 10, 40, 2, LockMode.READ));
        detector.record(new Section("b", 20, 30, 2, LockMode.READ));
        detector.record(new Section("next", 40, 50, 3));

        assertThat(detector.overlaps()).isEmpty();
        assertThat(detector.fencingViolations()).isEmpty();
    }

    @Test
    void findsAWriterBesideAReader() {
        detector.record(new Section("a", 0, 100, 1, LockMode.READ));
        detector.record(new Section("b", 10, 20, 1, LockMode.READ));
        detector.record(new Section("writer", 30, 110, 1));
        detector.record(new Section("c", 105, 120, 1, LockMode.READ));

        assertThat(detector.overlaps()).hasSize(2);
        assertThat(detector.fencingViolations()).hasSize(2);
    }
}
