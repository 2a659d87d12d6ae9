package io.github.lockstarter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class CriticalSectionTests {

    private static final int THREADS = 4;
    private static final int RUNS = 200;

    private final CriticalSection section = new CriticalSection();
    private final AtomicLong fence = new AtomicLong();

    @Test
    void acceptsSectionsUnderALock() {
        ReentrantLock lock = new ReentrantLock();

        Crowd.of(THREADS).eachRuns(RUNS, () -> {
            lock.lock();
            try {
                section.run(fence.incrementAndGet());
            } finally {
                lock.unlock();
            }
        });

        section.assertExclusive(THREADS * RUNS);
    }

    @Test
    void findsTheViolationsWithoutALock() {
        Crowd.of(THREADS).eachRuns(RUNS, () -> section.run(fence.incrementAndGet()));

        assertThat(section.detector().overlaps()).isNotEmpty();
        assertThat(section.count()).isLessThan(THREADS * RUNS);
    }
}
