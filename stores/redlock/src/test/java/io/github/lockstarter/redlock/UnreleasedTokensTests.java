package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redlock.UnreleasedTokens.Unreleased;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The tokens that a node releases when it answers again. */
class UnreleasedTokensTests {

    private final UnreleasedTokens unreleased = new UnreleasedTokens();

    private static Unreleased token(long sequence, long until) {
        return new Unreleased(new ReleaseCommand("order:42", new LockToken("a", sequence), 0), until);
    }

    private void add(Unreleased token) {
        unreleased.add(token.release(), token.until());
    }

    @Test
    void returnsEachTokenOnce() {
        add(token(1, 10));
        add(token(2, 10));
        add(token(1, 20));

        assertThat(unreleased.collect(0)).containsExactly(token(2, 10), token(1, 20));
        assertThat(unreleased.collect(0)).isEmpty();
    }

    @Test
    void dropsExpiredTokens() {
        add(token(1, 10));
        add(token(2, 20));

        assertThat(unreleased.collect(10)).containsExactly(token(2, 20));
    }

    @Test
    void keepsTheLaterExpiryOfATokenAddedTwice() {
        add(token(1, 20));
        add(token(1, 10));

        assertThat(unreleased.collect(0)).containsExactly(token(1, 20));
    }

    @Test
    void keepsTheMinimumHoldOfATokenAddedTwice() {
        ReleaseCommand kept = new ReleaseCommand(
                "order:42", new LockToken("a", 1), 17, Wait.UNCHANGED, Duration.ofSeconds(5), Slots.ONLY);

        unreleased.add(kept, 10);
        add(token(1, 20));
        assertThat(unreleased.collect(0)).containsExactly(new Unreleased(kept, 20));

        add(token(1, 20));
        unreleased.add(kept, 10);
        assertThat(unreleased.collect(0)).containsExactly(new Unreleased(kept, 20));
    }

    /** Their leases are the first to be over. */
    @Test
    void dropsTheOldestTokenWhenFull() {
        for (int i = 1; i <= UnreleasedTokens.MOST + 1; i++) {
            add(token(i, 10));
            add(token(i, 10));
        }

        assertThat(unreleased.collect(0))
                .hasSize(UnreleasedTokens.MOST)
                .startsWith(token(2, 10))
                .endsWith(token(UnreleasedTokens.MOST + 1, 10));
    }
}
