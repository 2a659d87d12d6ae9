package io.github.lockstarter.demo.gallery;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.gallery.play.ExhibitResult;
import io.github.lockstarter.demo.gallery.play.SideResult;
import io.github.lockstarter.demo.gallery.play.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

class GalleryTableTests {

    private static final List<Step> STEPS = List.of(
            new Step(0, "B", "granted", "has the lock"), new Step(1250, "servers", "fault", "The master is killed"));

    private static final SideResult BROKEN = new SideResult(4, 2, 2, 0, false, "", STEPS);
    private static final SideResult OURS = new SideResult(4, 4, 1, 0, false, "", STEPS);

    @Test
    void hasTheBrokenLockAndOursInOneRow() {
        assertThat(GalleryTable.of(List.of(new ExhibitResult("failover", 7, 2, BROKEN, OURS))))
                .isEqualTo("""
                                                  | broken                                   | ours
                        exhibit   what breaks it  | updates  counter  lost  owners  blocked  | updates  counter  lost  owners  blocked
                        --------  --------------  | -------  -------  ----  ------  -------  | -------  -------  ----  ------  -------
                        failover  a failover      |       4        2     2       2       no  |       4        4     0       1       no
                        """);
    }

    @Test
    void hasAColumnForEachActorAndForTheServers() {
        assertThat(GalleryTimeline.of(STEPS)).isEqualTo("""
                            s | A | B            | C | servers
                         0.00 |   | has the lock |   |
                         1.25 |   |              |   | The master is killed
                        """.indent(4));
    }

    @Test
    void isAsPredictedOnlyIfTheBrokenLockBrokeInEachRoundAndOursDidNot() {
        assertThat(new ExhibitResult("failover", 7, 2, BROKEN, OURS).isAsPredicted())
                .isTrue();
        assertThat(new ExhibitResult("failover", 7, 3, BROKEN, OURS).isAsPredicted())
                .isFalse();
        assertThat(new ExhibitResult("failover", 7, 2, OURS, OURS).isAsPredicted())
                .isFalse();
        assertThat(new ExhibitResult("failover", 7, 2, BROKEN, BROKEN).isAsPredicted())
                .isFalse();
        SideResult twoOwners = new SideResult(2, 2, 2, 2, false, "", STEPS);
        assertThat(new ExhibitResult("failover", 7, 2, BROKEN, twoOwners).isAsPredicted())
                .isFalse();
        assertThat(new ExhibitResult("late-write", 7, 2, BROKEN, twoOwners).isAsPredicted())
                .isTrue();
        SideResult notRefused = new SideResult(4, 4, 2, 0, false, "", STEPS);
        assertThat(new ExhibitResult("late-write", 7, 2, BROKEN, notRefused).isAsPredicted())
                .isFalse();
        SideResult blocked = new SideResult(4, 4, 1, 0, true, "", STEPS);
        assertThat(new ExhibitResult("failover", 7, 2, BROKEN, blocked).isAsPredicted())
                .isFalse();
    }
}
