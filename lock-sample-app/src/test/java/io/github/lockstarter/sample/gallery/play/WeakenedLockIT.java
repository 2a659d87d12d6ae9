package io.github.lockstarter.sample.gallery.play;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The control of our side: with its protection switched off, the same scripts break it, and the result says so. */
@Tag("full")
class WeakenedLockIT {

    @Test
    void findsTwoOwnersAfterAFailoverWithoutTheHistoryGuard() {
        try (ExhibitPlayer player = new ExhibitPlayer(List.of("distributed-lock.redis.on-history-change=none"))) {
            ExhibitResult result = player.play(Exhibit.DOUBLE_FAILOVER, 2026, 1);

            assertThat(result.ours().ownersAtOnce()).isGreaterThan(1);
            assertThat(result.isAsPredicted()).isFalse();
        }
    }

    @Test
    void findsTheLockBlockedWithoutTheCrashTakeOver() {
        try (ExhibitPlayer player = new ExhibitPlayer(List.of("distributed-lock.crash-takeover=0"))) {
            ExhibitResult result = player.play(Exhibit.SETNX, 2026, 1);

            assertThat(result.ours().blocked()).isTrue();
            assertThat(result.isAsPredicted()).isFalse();
        }
    }
}
