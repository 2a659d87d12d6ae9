package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The place in the queue of each of five nodes, and forwarded signals. */
class QueuePlacesTests {

    private static final String KEY = "order:42";

    private final QueuePlaces places = new QueuePlaces(5);

    private static AcquireCommand attempt(String key, long position) {
        Waiting waiting = new Waiting(position, Duration.ofSeconds(10));
        return new AcquireCommand(key, new LockToken("a", 1), Duration.ofSeconds(30), 0, 1, Optional.of(waiting));
    }

    private boolean begins(String key) {
        return places.begin(attempt(key, Waiting.NEW));
    }

    private long placeAt(int node, long position) {
        return places.placed(node, attempt(KEY, position))
                .waiting()
                .orElseThrow()
                .position();
    }

    @Test
    void beginsAWaitWithItsFirstAttempt() {
        assertThat(begins(KEY)).isTrue();
        assertThat(begins(KEY)).as("it has begun already").isFalse();

        places.end(KEY);

        assertThat(begins(KEY)).isTrue();
    }

    @Test
    void passesTheFirstSignalOfEachAttempt() {
        begins(KEY);
        assertThat(places.signal(KEY)).isTrue();
        assertThat(places.signal(KEY)).isFalse();

        begins(KEY);

        assertThat(places.signal(KEY)).isTrue();
        assertThat(places.signal(KEY)).isFalse();
    }

    /** A caller of this instance that does not wait may have used the earlier signal. */
    @Test
    void passesASignalAfterAnAttemptThatDoesNotWait() {
        begins(KEY);
        assertThat(places.signal(KEY)).isTrue();

        AcquireCommand tried =
                new AcquireCommand(KEY, new LockToken("a", 2), Duration.ofSeconds(30), 0, 1, Optional.empty());
        assertThat(places.begin(tried)).isFalse();

        assertThat(places.signal(KEY)).isTrue();
    }

    @Test
    void beginsNoWaitWithAnAttemptThatDoesNotWait() {
        AcquireCommand tried =
                new AcquireCommand(KEY, new LockToken("a", 1), Duration.ofSeconds(30), 0, 1, Optional.empty());

        assertThat(places.begin(tried)).isFalse();

        assertThat(places.size()).isZero();
    }

    @Test
    void dropsSignalsAfterTheGrant() {
        begins(KEY);
        places.end(KEY);

        assertThat(places.signal(KEY)).isFalse();
    }

    /** Released right after the grant: its used signal must not suppress the signal of the next owner's release. */
    @Test
    void passesTheFirstSignalAfterARequeue() {
        begins(KEY);
        assertThat(places.signal(KEY)).isTrue();

        places.requeue(KEY);

        assertThat(places.signal(KEY)).isTrue();
        assertThat(places.signal(KEY)).isFalse();
    }

    @Test
    void dropsEarlierPlacesAtARequeue() {
        begins(KEY);
        places.place(0, KEY, 100);
        places.requeue(KEY);

        assertThat(placeAt(0, 150)).isEqualTo(150);
    }

    @Test
    void passesNoSignalWithoutAWait() {
        assertThat(places.signal(KEY)).isFalse();
        places.place(3, KEY, 100);
        assertThat(places.size()).isZero();
    }

    @Test
    void passesTheFirstNoticeOfEachAttempt() {
        assertThat(places.want(KEY)).isTrue();
        assertThat(places.want(KEY)).isFalse();

        begins(KEY);

        assertThat(places.want(KEY)).isTrue();
        assertThat(places.want(KEY)).isFalse();
    }

    @Test
    void forgetsTheOldestOfTooManyNotices() {
        for (int i = 0; i <= QueuePlaces.MOST; i++) {
            places.want(KEY + i);
        }

        assertThat(places.want(KEY + 1)).isFalse();
        assertThat(places.want(KEY + 0)).isTrue();
    }

    @Test
    void sendsEachNodeThePlaceThatItAssigned() {
        begins(KEY);
        places.place(0, KEY, 100);
        places.place(1, KEY, 200);

        assertThat(placeAt(0, 150)).isEqualTo(100);
        assertThat(placeAt(1, 150)).isEqualTo(200);
        assertThat(placeAt(2, 150)).isEqualTo(150);
        assertThat(placeAt(0, Waiting.NEW)).isEqualTo(Waiting.NEW);
    }

    @Test
    void dropsThePlacesOfAnEndedWait() {
        begins(KEY);
        places.place(0, KEY, 100);
        places.end(KEY);

        assertThat(placeAt(0, 150)).isEqualTo(150);
    }

    @Test
    void keepsNoStateOfAnEndedWait() {
        begins(KEY);
        places.requeue(KEY);
        assertThat(places.size()).isOne();

        places.end(KEY);

        assertThat(places.size()).isZero();
    }

    @Test
    void forgetsTheOldestOfTooManyWaits() {
        begins(KEY);
        begins(KEY + 0);
        for (int i = 1; i < QueuePlaces.MOST; i++) {
            begins(KEY);
            begins(KEY + i);
        }

        assertThat(places.size()).isEqualTo(QueuePlaces.MOST);
        assertThat(places.signal(KEY + 0)).isFalse();
        assertThat(places.signal(KEY + 1)).isTrue();
        assertThat(places.signal(KEY)).isTrue();
    }
}
