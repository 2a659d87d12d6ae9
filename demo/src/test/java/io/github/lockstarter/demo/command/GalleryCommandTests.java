package io.github.lockstarter.demo.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import io.github.lockstarter.demo.gallery.exhibit.RoundEvent;
import io.github.lockstarter.demo.gallery.exhibit.SideResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class GalleryCommandTests {

    private static final List<RoundEvent> STEPS = List.of(
            new RoundEvent(0, "B", "granted", "has the lock"),
            new RoundEvent(1250, "servers", "fault", "The master is killed"));

    private static final SideResult BROKEN = new SideResult(2, 1, 2, 0, false, STEPS);
    private static final SideResult OURS = new SideResult(2, 2, 1, 0, false, STEPS);

    @Test
    void printsARowForTheBrokenLockAndOneForOurs() {
        assertThat(GalleryCommand.table(List.of(new ExhibitResult("failover", 7, BROKEN, OURS))))
                .isEqualTo("""
                    exhibit   what breaks it  lock    updates  counter  lost  owners  blocked
                    --------  --------------  ------  -------  -------  ----  ------  -------
                    failover  a failover      broken        2        1     1       2       no
                    failover  a failover      ours          2        2     0       1       no
                    """);
    }

    @Test
    void printsAColumnPerCallerAndForTheServers() {
        assertThat(GalleryCommand.timeline(STEPS)).isEqualTo("""
               s  A  B             C  servers
            ----  -  ------------  -  --------------------
            0.00     has the lock
            1.25                      The master is killed
            """);
    }

    @Test
    void succeedsOnlyIfTheBrokenLockBrokeAndOursDidNot() {
        assertThat(new ExhibitResult("failover", 7, BROKEN, OURS).isAsPredicted())
                .isTrue();
        assertThat(new ExhibitResult("failover", 7, OURS, OURS).isAsPredicted()).isFalse();
        assertThat(new ExhibitResult("failover", 7, BROKEN, BROKEN).isAsPredicted())
                .isFalse();
        SideResult twoOwners = new SideResult(1, 1, 2, 1, false, STEPS);
        assertThat(new ExhibitResult("failover", 7, BROKEN, twoOwners).isAsPredicted())
                .isFalse();
        assertThat(new ExhibitResult("late-write", 7, BROKEN, twoOwners).isAsPredicted())
                .isTrue();
        SideResult notRefused = new SideResult(2, 2, 2, 0, false, STEPS);
        assertThat(new ExhibitResult("late-write", 7, BROKEN, notRefused).isAsPredicted())
                .isFalse();
        SideResult blocked = new SideResult(2, 2, 1, 0, true, STEPS);
        assertThat(new ExhibitResult("failover", 7, BROKEN, blocked).isAsPredicted())
                .isFalse();
    }
}
