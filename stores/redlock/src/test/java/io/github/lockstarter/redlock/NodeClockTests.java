package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a node's clock counts as set. */
class NodeClockTests {

    private static final long LEASE = Duration.ofSeconds(30).toNanos();
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final NodeClock clock = new NodeClock(LEASE);
    private long offset = 1_790_000_000L * SECOND;

    /** An answer with this round trip, which reports the time in its middle. */
    private void answer(long sent, long roundTrip) {
        clock.observe((sent + roundTrip / 2 + offset) / 1_000, sent, sent + roundTrip);
    }

    @Test
    void trustsAClockThatNobodySets() {
        for (long at = 0; at < 1_000 * SECOND; at += SECOND) {
            answer(at, MILLI + at % 7 * MILLI);
        }

        assertThat(clock.untrustedFor(1_000 * SECOND)).isZero();
    }

    @Test
    void detectsAStepForward() {
        answer(0, MILLI);
        offset += 31 * SECOND;
        answer(SECOND, MILLI);

        assertThat(clock.untrustedFor(SECOND + MILLI)).isEqualTo(LEASE);
    }

    @Test
    void distrustsANodeForTheLongestLeaseEvenAfterASmallStep() {
        answer(0, MILLI);
        offset += SECOND;
        answer(SECOND, MILLI);

        assertThat(clock.untrustedFor(SECOND + MILLI + LEASE - 1)).isEqualTo(1);
        assertThat(clock.untrustedFor(SECOND + MILLI + LEASE)).isZero();
    }

    @Test
    void detectsAStepBack() {
        answer(0, MILLI);
        offset -= SECOND;
        answer(SECOND, MILLI);

        assertThat(clock.untrustedFor(SECOND + MILLI)).isPositive();
    }

    @Test
    void toleratesAStepShorterThanTheRoundTrip() {
        answer(0, MILLI);
        offset += 40 * MILLI;
        answer(SECOND, 100 * MILLI);

        assertThat(clock.untrustedFor(2 * SECOND)).isZero();
    }

    /** Each answer follows the previous one too quickly for a measurable drift. */
    @Test
    void toleratesTheDriftOfManyAnswersInQuickSuccession() {
        long micro = MILLI / 1_000;
        int distrusted = 0;
        for (long at = 0; at < 200 * SECOND; at += 100 * micro) {
            answer(at, 80 * micro);
            offset += 10;
            distrusted += clock.untrustedFor(at + 80 * micro) > 0 ? 1 : 0;
        }
        assertThat(distrusted).isZero();

        offset += 6 * MILLI;
        answer(200 * SECOND, 80 * micro);

        assertThat(clock.untrustedFor(200 * SECOND)).isPositive();
    }

    @Test
    void toleratesTheDriftAfterALongSilence() {
        answer(0, MILLI);
        offset += 400 * MILLI;
        answer(1_000 * SECOND, MILLI);

        assertThat(clock.untrustedFor(1_001 * SECOND)).isZero();
    }

    @Test
    void detectsManySmallSteps() {
        for (int i = 0; i < 10; i++) {
            answer(i * 10L * MILLI, MILLI);
            offset += 3 * MILLI;
        }

        assertThat(clock.untrustedFor(100 * MILLI)).isPositive();
    }

    @Test
    void detectsAStepDespiteAnEarlierSlowAnswer() {
        answer(0, MILLI);
        answer(SECOND, 100 * MILLI);
        offset += 40 * MILLI;
        answer(2 * SECOND, MILLI);

        assertThat(clock.untrustedFor(3 * SECOND)).isPositive();
    }

    @Test
    void worksWhenTheMonotonicClockOverflows() {
        long start = Long.MAX_VALUE - SECOND / 2;
        answer(start, MILLI);
        answer(start + SECOND, MILLI);
        assertThat(clock.untrustedFor(start + SECOND)).isZero();

        offset += SECOND;
        answer(start + 2 * SECOND, MILLI);

        assertThat(clock.untrustedFor(start + 2 * SECOND + MILLI)).isEqualTo(LEASE);
    }
}
