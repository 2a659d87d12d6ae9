package io.github.lockstarter.demo.gallery.exhibit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.gallery.exhibit.RoundRecorder.Section;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundRecorderTests {

    @Test
    void countsSectionsThatOverlap() {
        assertThat(Section.mostAtOnce(List.of())).isZero();
        assertThat(Section.mostAtOnce(List.of(new Section(0, 5), new Section(5, 9))))
                .isEqualTo(1);
        assertThat(Section.mostAtOnce(List.of(new Section(0, 6), new Section(5, 9))))
                .isEqualTo(2);
        assertThat(Section.mostAtOnce(
                        List.of(new Section(0, 3), new Section(0, 9), new Section(4, 6), new Section(5, 7))))
                .isEqualTo(3);
    }
}
