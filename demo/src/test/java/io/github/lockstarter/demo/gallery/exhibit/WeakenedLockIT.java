package io.github.lockstarter.demo.gallery.exhibit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The control of our side: with its protection switched off, the same interleavings break it, and the result says so.
 */
@Tag("full")
class WeakenedLockIT {

    /** The holder detects its loss with its next renewal, before or after the next grant. */
    @Test
    void theLockIsLostOrHasTwoOwnersAfterAFailoverWithoutTheHistoryGuard() {
        try (ExhibitRunner runner = new ExhibitRunner(List.of("distributed-lock.redis.grace-period=0s"))) {
            ExhibitResult result = runner.play(Exhibit.DOUBLE_FAILOVER, 2026);

            boolean lost =
                    result.ours().steps().stream().anyMatch(step -> step.kind().equals("lost"));
            assertThat(lost || result.ours().ownersAtOnce() > 1).isTrue();
            assertThat(result.isAsPredicted()).isEqualTo(result.ours().ownersAtOnce() == 1);
        }
    }

    @Test
    void theLockStaysBlockedWithoutCrashTakeover() {
        try (ExhibitRunner runner = new ExhibitRunner(List.of("distributed-lock.crash-takeover=0"))) {
            ExhibitResult result = runner.play(Exhibit.SETNX, 2026);

            assertThat(result.ours().blocked()).isTrue();
            assertThat(result.isAsPredicted()).isFalse();
        }
    }
}
