package io.github.lockstarter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockMode;
import java.util.concurrent.locks.LockSupport;

/**
 * Work that goes wrong without exclusion: raises a counter that nothing synchronises, and records when it ran. The
 * counter also shows a lock that excludes but does not publish the writes of the holder before.
 */
public final class CriticalSection {

    private static final int DWELL_NANOS = 20_000;

    private final OverlapDetector detector = new OverlapDetector();
    private int unsynchronised;

    /**
     * Runs the section once.
     *
     * @param fencingToken of the hold
     */
    public void run(long fencingToken) {
        long from = System.nanoTime();
        int seen = unsynchronised;
        LockSupport.parkNanos(DWELL_NANOS); // time for other threads to enter wrongly
        unsynchronised = seen + 1;
        detector.record(
                new OverlapDetector.Section(Thread.currentThread().getName(), from, System.nanoTime(), fencingToken));
    }

    /**
     * Runs a section that only reads.
     *
     * @param fencingToken of the hold
     */
    public void read(long fencingToken) {
        long from = System.nanoTime();
        LockSupport.parkNanos(DWELL_NANOS);
        String owner = Thread.currentThread().getName();
        detector.record(new OverlapDetector.Section(owner, from, System.nanoTime(), fencingToken, LockMode.READ));
    }

    /** {@return the counter, which equals the number of runs if exclusion held} */
    public int count() {
        return unsynchronised;
    }

    /**
     * When the section ran.
     *
     * @return the detector
     */
    public OverlapDetector detector() {
        return detector;
    }

    /**
     * Fails unless the section ran this often, one at a time, with growing fencing tokens.
     *
     * @param runs the expected number
     */
    public void assertExclusive(int runs) {
        assertThat(detector.overlaps()).isEmpty();
        assertThat(detector.fencingViolations()).isEmpty();
        assertThat(detector.count()).isEqualTo(runs);
        assertThat(unsynchronised).isEqualTo(runs);
    }
}
