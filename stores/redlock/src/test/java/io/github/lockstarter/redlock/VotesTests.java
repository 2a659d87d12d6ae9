package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.AcquireResult.Recovering;
import io.github.lockstarter.spi.AcquireResult.Rejected;
import io.github.lockstarter.spi.AcquireResult.Unknown;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Results of the votes of five nodes. */
class VotesTests {

    private static final AcquireResult GRANTED = new Granted(7, 0);
    private static final AcquireResult REJECTED = new Rejected("refused", new IllegalStateException("down"));
    private static final AcquireResult UNKNOWN = new Unknown("no answer", new IllegalStateException("slow"));
    private static final AcquireResult FOREVER = new Contended(Optional.empty(), Waiting.NEW);

    private static AcquireResult busy(long seconds) {
        return new Contended(Optional.of(Duration.ofSeconds(seconds)), seconds);
    }

    private static AcquireResult recovering(long seconds) {
        return new Recovering(Duration.ofSeconds(seconds), "the lock store may have forgotten locks");
    }

    private static Votes votes(AcquireResult... cast) {
        Votes votes = new Votes(new Quorum(5));
        for (int node = 0; node < cast.length; node++) {
            votes.set(node, cast[node]);
        }
        return votes;
    }

    private static Optional<AcquireResult> refusal(AcquireResult... cast) {
        return votes(cast).refusal("order:42");
    }

    @Test
    void grantsWithAQuorumWhateverTheOtherVotes() {
        assertThat(votes(GRANTED, REJECTED, GRANTED, UNKNOWN).isGranted()).isFalse();
        assertThat(votes(GRANTED, REJECTED, GRANTED, UNKNOWN, GRANTED).isGranted())
                .isTrue();
    }

    @Test
    void isUndecidedWhileAQuorumMayStillGrant() {
        assertThat(refusal()).isEmpty();
        assertThat(refusal(busy(5), busy(5))).isEmpty();
        assertThat(refusal(GRANTED, UNKNOWN, REJECTED)).isEmpty();
    }

    @Test
    void reportsKeptWhenMostRefusingNodesKeepTheLock() {
        AcquireResult kept = new Contended(Optional.of(Duration.ofSeconds(2)), 2, Optional.empty(), true);
        assertThat(refusal(kept, kept, busy(2))).contains(kept);
        assertThat(refusal(kept, busy(2), busy(2))).contains(busy(2));
    }

    @Test
    void namesTheHolderThatMostRefusingNodesName() {
        Optional<LockHolder> anna = Optional.of(new LockHolder("anna"));
        Optional<LockHolder> bert = Optional.of(new LockHolder("bert"));
        Optional<Duration> left = Optional.of(Duration.ofSeconds(5));

        assertThat(refusal(
                        new Contended(left, 5, bert, false),
                        new Contended(left, 5, anna, false),
                        busy(5),
                        new Contended(left, 5, anna, false),
                        UNKNOWN))
                .contains(new Contended(left, 5, anna, false));
    }

    @Test
    void isContendedAsSoonAsTooFewVotesAreLeft() {
        assertThat(refusal(busy(5), busy(3), busy(4))).contains(new Contended(Optional.of(Duration.ofSeconds(5)), 3));
    }

    @Test
    void isContendedEvenWithTwoNodesDown() {
        assertThat(refusal(REJECTED, UNKNOWN, GRANTED, GRANTED, busy(5)))
                .contains(new Contended(Optional.of(Duration.ofSeconds(5)), 5));
    }

    @Test
    void reportsTheRemainingLeaseUntilEnoughNodesMayVote() {
        assertThat(refusal(GRANTED, GRANTED, busy(9), busy(2), busy(4)))
                .contains(new Contended(Optional.of(Duration.ofSeconds(2)), 2));
        assertThat(refusal(GRANTED, busy(9), recovering(2), busy(4), REJECTED))
                .contains(new Contended(Optional.of(Duration.ofSeconds(4)), 4));
        assertThat(refusal(FOREVER, FOREVER, FOREVER)).contains(new Contended(Optional.empty(), Waiting.NEW));
    }

    @Test
    void isRecoveringWhenNoOtherOwnerIsKnown() {
        assertThat(refusal(GRANTED, recovering(3), recovering(1), UNKNOWN, REJECTED))
                .contains(new Recovering(
                        Duration.ofSeconds(3),
                        "only 1 of 5 nodes vote, and 3 are needed; one of the others: the lock store may have forgotten"
                                + " locks"));
    }

    @Test
    void isUnknownWhenFewerThanAQuorumHaveAnswered() {
        assertThat(refusal(busy(5), busy(5), UNKNOWN, REJECTED)).isEmpty();
        assertThat(refusal(busy(5), busy(5), UNKNOWN, REJECTED, REJECTED)).get().isInstanceOf(Unknown.class);
        assertThat(refusal(GRANTED, GRANTED, REJECTED, REJECTED, UNKNOWN)).get().isInstanceOf(Unknown.class);
    }

    @Test
    void isRejectedWhenNoNodeCanHaveGrantedSilently() {
        assertThat(refusal(GRANTED, GRANTED, REJECTED, REJECTED, REJECTED))
                .get()
                .isInstanceOf(Rejected.class);
    }

    @Test
    void isUnavailableWhenANodeIsTemporarilyUnable() {
        AcquireResult unavailable = new AcquireResult.Unavailable("loading", new IllegalStateException("loading"));

        assertThat(refusal(busy(5), GRANTED, REJECTED, REJECTED, unavailable))
                .get()
                .isInstanceOf(AcquireResult.Unavailable.class);
        assertThat(refusal(unavailable, unavailable, unavailable, unavailable, unavailable))
                .get()
                .isInstanceOf(AcquireResult.Unavailable.class);
        assertThat(refusal(busy(5), GRANTED, UNKNOWN, REJECTED, unavailable))
                .get()
                .isInstanceOf(Unknown.class);
    }
}
