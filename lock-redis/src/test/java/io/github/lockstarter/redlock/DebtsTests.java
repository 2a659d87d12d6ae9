package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redlock.Debts.Debt;
import io.github.lockstarter.spi.LockToken;
import org.junit.jupiter.api.Test;

/** Which tokens a node is told to free when it answers again. */
class DebtsTests {

    private final Debts debts = new Debts();

    private static Debt debt(long sequence, long until) {
        return new Debt("order:42", new LockToken("a", sequence), until);
    }

    @Test
    void tellsEachTokenOnce() {
        debts.add(debt(1, 10));
        debts.add(debt(2, 10));
        debts.add(debt(1, 20));

        assertThat(debts.collect(0)).containsExactly(debt(2, 10), debt(1, 20));
        assertThat(debts.collect(0)).isEmpty();
    }

    @Test
    void forgetsWhatIsOver() {
        debts.add(debt(1, 10));
        debts.add(debt(2, 20));

        assertThat(debts.collect(10)).containsExactly(debt(2, 20));
    }

    @Test
    void keepsTheLaterEndOfATokenThatIsOwedTwice() {
        debts.add(debt(1, 20));
        debts.add(debt(1, 10));

        assertThat(debts.collect(0)).containsExactly(debt(1, 20));
    }

    /** Their leases are the first to be over. */
    @Test
    void forgetsTheOldestWhenFull() {
        for (int i = 1; i <= Debts.MOST + 1; i++) {
            debts.add(debt(i, 10));
            debts.add(debt(i, 10));
        }

        assertThat(debts.collect(0)).hasSize(Debts.MOST).startsWith(debt(2, 10)).endsWith(debt(Debts.MOST + 1, 10));
    }
}
