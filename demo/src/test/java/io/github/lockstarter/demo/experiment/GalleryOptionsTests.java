package io.github.lockstarter.demo.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.demo.gallery.GalleryPlan;
import io.github.lockstarter.demo.gallery.play.Exhibit;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GalleryOptionsTests {

    @Test
    void playsAllExhibitsWhenNothingElseIsSaid() {
        GalleryPlan plan = GalleryOptions.parse(List.of("--gallery"));

        assertThat(plan.exhibits()).containsExactly(Exhibit.values());
        assertThat(plan.seed()).isEqualTo(2026);
        assertThat(plan.rounds()).isEqualTo(2);
    }

    @Test
    void readsEachOption() {
        GalleryPlan plan = GalleryOptions.parse(List.of("--seed=-7", "--gallery=late-write,setnx", "--rounds=3"));

        assertThat(plan.exhibits()).containsExactly(Exhibit.SETNX, Exhibit.LATE_WRITE);
        assertThat(plan.seed()).isEqualTo(-7);
        assertThat(plan.rounds()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "--chaos, --gallery goes with --seed and --rounds only",
        "--topology=sentinel, and not with '--topology=sentinel'",
        "--gallery=redlok, Choose from incr",
        "--gallery=, Choose from incr",
        "--seed=x, is no whole number",
        "--rounds=0, is no number from 1 to 9"
    })
    void saysWhatToChange(String argument, String message) {
        assertThatThrownBy(() -> GalleryOptions.parse(List.of("--gallery", argument)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesWithAStatusOfItsOwnBeforeAnythingStarts() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        int status = ExperimentCommand.run(List.of("--chaos", "--gallery"), new PrintStream(out), new PrintStream(err));

        assertThat(status).isEqualTo(2);
        assertThat(out.size()).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("and not with '--chaos'");
    }

    @Test
    void explainsItself() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        int status = ExperimentCommand.run(List.of("--help"), new PrintStream(out), System.err);

        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("--gallery", "--seed=2026", "double-failover");
    }
}
