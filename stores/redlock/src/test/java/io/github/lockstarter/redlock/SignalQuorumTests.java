package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Forwarded signals of five nodes, and the place in the queue of each node. */
class SignalQuorumTests {

    private static final String KEY = "order:42";
    private static final Duration WINDOW = Duration.ofMillis(50);

    private long now;
    private final SignalQuorum waits =
            new SignalQuorum(5, new RedlockSettings(WINDOW, Duration.ofSeconds(30)), () -> now);

    private List<Integer> passed(int... nodes) {
        return IntStream.of(nodes)
                .filter(node -> waits.signalled(node, KEY))
                .boxed()
                .toList();
    }

    @Test
    void passesTheSignalThatMakesAQuorum() {
        waits.refused(KEY, 3);

        assertThat(passed(0, 1, 2, 3, 4)).containsExactly(2);
    }

    @Test
    void passesTheFirstSignalDuringAnAttempt() {
        assertThat(waits.begun(KEY)).isTrue();
        assertThat(waits.begun(KEY)).as("it has begun already").isFalse();
        assertThat(passed(3, 4)).containsExactly(3);

        waits.refused(KEY, 2);

        assertThat(passed(0, 1)).containsExactly(1);
    }

    @Test
    void needsNoSignalFromNodesThatGranted() {
        waits.refused(KEY, 1);

        assertThat(passed(0, 1, 2)).containsExactly(0);
    }

    @Test
    void passesNoSignalForAReleasedMinorityVote() {
        waits.refused(KEY, 2);

        assertThat(passed(4)).isEmpty();
        now += WINDOW.multipliedBy(2).toNanos();
        assertThat(passed(3)).isEmpty();
    }

    @Test
    void passesTheSignalsOfTheNextRelease() {
        waits.refused(KEY, 3);
        assertThat(passed(0, 1, 2, 3)).containsExactly(2);

        assertThat(passed(0, 1, 2)).containsExactly(2);
    }

    @Test
    void dropsSignalsAfterTheGrant() {
        waits.refused(KEY, 3);
        assertThat(passed(0, 1, 2)).containsExactly(2);
        waits.ended(KEY);

        assertThat(passed(3, 4)).isEmpty();
    }

    /** Released right after the grant: its used signals must not suppress the signals of the next owner's release. */
    @Test
    void passesTheFirstSignalAfterARequeue() {
        waits.refused(KEY, 3);
        assertThat(passed(0, 1, 2)).containsExactly(2);
        waits.ended(KEY);
        now += WINDOW.dividedBy(10).toNanos();
        waits.requeued(KEY);

        assertThat(passed(4, 3, 2, 1, 0)).containsExactly(4);
    }

    @Test
    void dropsEarlierPlacesAtARequeue() {
        waits.refused(KEY, 3);
        waits.placedAt(0, KEY, 100);
        waits.requeued(KEY);

        assertThat(placeAt(0, 150)).isEqualTo(150);
    }

    @Test
    void passesNoSignalWithoutAWait() {
        assertThat(passed(3, 4, 0)).isEmpty();
        waits.placedAt(3, KEY, 100);
        assertThat(waits.size()).isZero();
    }

    @Test
    void passesTheWantedNoticeOfOneNodeOnly() {
        assertThat(IntStream.range(0, 5).filter(node -> waits.wanted(node, KEY)).boxed())
                .containsExactly(0);
        assertThat(waits.wanted(0, KEY)).isTrue();
    }

    @Test
    void sendsEachNodeThePlaceThatItAssigned() {
        waits.refused(KEY, 3);
        waits.placedAt(0, KEY, 100);
        waits.placedAt(1, KEY, 200);

        assertThat(placeAt(0, 150)).isEqualTo(100);
        assertThat(placeAt(1, 150)).isEqualTo(200);
        assertThat(placeAt(2, 150)).isEqualTo(150);
        assertThat(placeAt(0, Waiting.NEW)).isEqualTo(Waiting.NEW);
    }

    private long placeAt(int node, long position) {
        AcquireCommand command = new AcquireCommand(
                KEY,
                new LockToken("a", 1),
                Duration.ofSeconds(30),
                0,
                1,
                Optional.of(new Waiting(position, Duration.ofSeconds(10))));
        return waits.placed(node, command).waiting().orElseThrow().position();
    }

    @Test
    void dropsThePlacesOfAnEndedWait() {
        waits.refused(KEY, 3);
        waits.placedAt(0, KEY, 100);
        waits.ended(KEY);

        assertThat(placeAt(0, 150)).isEqualTo(150);
    }

    @Test
    void keepsNoStateOfAnEndedWait() {
        waits.refused(KEY, 3);
        waits.requeued(KEY);
        assertThat(waits.size()).isOne();

        waits.ended(KEY);

        assertThat(waits.size()).isZero();
    }

    @Test
    void forgetsTheOldestOfTooManyWaits() {
        waits.refused(KEY, 3);
        waits.refused(KEY + 0, 1);
        for (int i = 1; i < SignalQuorum.MOST; i++) {
            waits.refused(KEY, 3);
            waits.refused(KEY + i, 1);
        }

        assertThat(waits.size()).isEqualTo(SignalQuorum.MOST);
        assertThat(waits.signalled(0, KEY + 0)).isFalse();
        assertThat(waits.signalled(0, KEY + 1)).isTrue();
        assertThat(passed(0, 1, 2)).containsExactly(2);
    }
}
