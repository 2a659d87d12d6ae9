package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Answers that prove recent contact of the leader with a session; the shortest session has two ticks. */
class LeaderContactTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(32);
    private static final long SESSION = 7;
    private static final long OTHER = 8;

    private final LeaderContact leader = new LeaderContact();

    @Test
    void theFirstAnswerAfterASilenceIsNoProof() {
        answered(SESSION, 0);

        assertThat(isRecent(SESSION, 0)).isFalse();
        assertThat(isRecent(SESSION, 31)).isFalse(); // the leader may end it within a half tick
    }

    @Test
    void anAnswerIsAProofOnceTheServerHasReachedTheLeader() {
        answered(SESSION, 0);

        assertThat(isRecent(SESSION, 8)).isFalse();
        assertThat(isRecent(SESSION, 9.5)).isTrue();
        assertThat(isRecent(SESSION, 15)).isTrue();
        assertThat(isRecent(SESSION, 16)).isFalse();
    }

    @Test
    void anAnswerOfAnotherSessionIsNoProof() {
        answered(OTHER, 0);
        assertThat(isRecent(SESSION, 10)).isFalse();

        answered(SESSION, 10);
        assertThat(isRecent(OTHER, 11)).isFalse();
    }

    @Test
    void answersAtEveryEighthOfTheTimeoutAreAlwaysRecent() {
        for (int second = 0; second < 200; second += 4) {
            if (second > 12) {
                assertThat(isRecent(SESSION, second)).isTrue();
            }
            answered(SESSION, second);
            answered(SESSION, second + 0.7);
            answered(SESSION, second + 3.1);
        }
    }

    @Test
    void aNewSessionIsKnownToTheLeader() {
        leader.began(SESSION, at(0));

        assertThat(isRecent(SESSION, 0)).isTrue();
        assertThat(isRecent(OTHER, 0)).isFalse();
        assertThat(isRecent(SESSION, 15)).isTrue();
        assertThat(isRecent(SESSION, 16)).isFalse();
    }

    @Test
    void aReconnectionIsAProofAtOnce() {
        leader.began(SESSION, at(-100));
        leader.broken(SESSION, at(0), at(2));

        assertThat(isRecent(SESSION, 1)).isFalse(); // perhaps sent on the connection that broke
        assertThat(isRecent(SESSION, 2)).isTrue();
        assertThat(isRecent(OTHER, 2)).isFalse();
        assertThat(isRecent(SESSION, 15)).isTrue();
        assertThat(isRecent(SESSION, 16)).isFalse();
    }

    @Test
    void aLateFailureOfAnEarlierSessionKeepsTheBeginOfTheNext() {
        leader.began(OTHER, at(-100));
        leader.began(SESSION, at(0));
        leader.broken(OTHER, at(-1), at(1));

        assertThat(isRecent(SESSION, 2)).isTrue();
        assertThat(isRecent(OTHER, 2)).isFalse();
    }

    private void answered(long session, double second) {
        leader.answered(session, at(second), at(second + 0.1), TIMEOUT);
    }

    private boolean isRecent(long session, double second) {
        return leader.isRecent(session, at(second), TIMEOUT);
    }

    private static long at(double second) {
        return (long) (second * 1e9);
    }
}
