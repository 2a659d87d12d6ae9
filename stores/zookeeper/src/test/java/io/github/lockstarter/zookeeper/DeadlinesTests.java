package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.spi.LockThreads;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlinesTests {

    private final ScheduledThreadPoolExecutor timer = LockThreads.timer("test-deadlines");
    private final Deadlines deadlines = new Deadlines(timer);

    @AfterEach
    void shutDown() {
        timer.shutdownNow();
    }

    @Test
    void looksUntilEachEntryHasEnded() {
        AtomicInteger looks = new AtomicInteger();
        AtomicBoolean isFirstEnded = new AtomicBoolean();
        deadlines.add(now -> looks.incrementAndGet() == 3);
        deadlines.add(now -> isFirstEnded.getAndSet(true));

        await().until(() -> looks.get() == 3 && timer.getQueue().isEmpty());

        assertThat(isFirstEnded).isTrue();
    }

    @Test
    void leavesTheTimerAloneForMoreEntries() {
        for (int i = 0; i < 1_000; i++) {
            deadlines.add(now -> true);
        }

        assertThat(timer.getTaskCount()).isLessThan(100);
    }

    @Test
    void looksOnAfterAnEntryFails() {
        AtomicBoolean hasFailed = new AtomicBoolean();
        AtomicBoolean isEnded = new AtomicBoolean();
        deadlines.add(now -> {
            if (!hasFailed.getAndSet(true)) {
                throw new IllegalStateException("once");
            }
            return true;
        });
        deadlines.add(now -> isEnded.getAndSet(true));

        await().untilTrue(isEnded);
    }

    @Test
    void endsEverythingAtOnceAfterAShutdown() {
        long end = System.nanoTime() + TimeUnit.DAYS.toNanos(1);
        AtomicBoolean isPendingEnded = new AtomicBoolean();
        deadlines.add(now -> {
            isPendingEnded.set(now - end >= 0);
            return true;
        });
        timer.shutdown();
        AtomicBoolean isEnded = new AtomicBoolean();

        deadlines.add(now -> {
            isEnded.set(now - end >= 0);
            return true;
        });

        assertThat(isPendingEnded).isTrue();
        assertThat(isEnded).isTrue();
    }
}
