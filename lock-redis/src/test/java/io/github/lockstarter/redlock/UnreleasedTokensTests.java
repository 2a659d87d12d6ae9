package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redlock.UnreleasedTokens.Debt;
import io.github.lockstarter.spi.LockToken;
import org.junit.jupiter.api.Test;

/** Which tokens a node is told to free when it answers again. */
class UnreleasedTokensTests {

    private final UnreleasedTokens unreleased = new UnreleasedTokens();

    private static Debt debt(long sequence, long until) {
        return new Debt("order:42", new LockToken("a", sequence), until);
    }

    @Test
    void tellsEachTokenOnce() {
        unreleased.add(debt(1, 10));
        unreleased.add(debt(2, 10));
        unreleased.add(debt(1, 20));

        assertThat(unreleased.collect(0)).containsExactly(debt(2, 10), debt(1, 20));
        assertThat(unreleased.collect(0)).isEmpty();
    }

    @Test
    void forgetsWhatIsOver() {
        unreleased.add(debt(1, 10));
        unreleased.add(debt(2, 20));

        assertThat(unreleased.collect(10)).containsExactly(debt(2, 20));
    }

    @Test
    void keepsTheLaterEndOfATokenThatIsOwedTwice() {
        unreleased.add(debt(1, 20));
        unreleased.add(debt(1, 10));

        assertThat(unreleased.collect(0)).containsExactly(debt(1, 20));
    }

    /** Their leases are the first to be over. */
    @Test
    void forgetsTheOldestWhenFull() {
        for (int i = 1; i <= UnreleasedTokens.MOST + 1; i++) {
            unreleased.add(debt(i, 10));
            unreleased.add(debt(i, 10));
        }

        assertThat(unreleased.collect(0))
                .hasSize(UnreleasedTokens.MOST)
                .startsWith(debt(2, 10))
                .endsWith(debt(UnreleasedTokens.MOST + 1, 10));
    }
}
