package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimerWheelTests {

    /** Generous: a tick is 5 ms, the rest is for a busy machine. */
    private static final Duration LATE = Duration.ofSeconds(2);

    private final TimerWheel wheel = new TimerWheel(EngineClock.SYSTEM);

    @AfterEach
    void close() {
        wheel.close();
    }

    @Test
    void firesOnceAndNotBeforeItsTime() throws Exception {
        Recorder entry = new Recorder();
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(60);
        wheel.schedule(entry, due);

        assertThat(entry.fired.await(LATE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(entry.firedAt - due).isNotNegative();
        assertThat(wheel.size()).isZero();
        assertThat(entry.count).hasValue(1);
    }

    @Test
    void firesWhatIsDueInLaterRoundsOfTheWheel() throws Exception {
        Recorder entry = new Recorder();
        Recorder beforeIt = new Recorder();
        long now = System.nanoTime();
        wheel.schedule(entry, now + TimeUnit.MILLISECONDS.toNanos(5_400)); // a round takes 5.12 s
        wheel.schedule(beforeIt, now + TimeUnit.MILLISECONDS.toNanos(300));

        assertThat(beforeIt.fired.await(LATE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(entry.count).hasValue(0);
        assertThat(entry.fired.await(8, TimeUnit.SECONDS)).isTrue();
        assertThat(entry.firedAt - now).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(5_400));
    }

    @Test
    void rescheduleReplacesTheEarlierTime() throws Exception {
        Recorder entry = new Recorder();
        wheel.schedule(entry, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        wheel.schedule(entry, System.nanoTime());

        assertThat(entry.fired.await(LATE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(wheel.size()).isZero();
    }

    @Test
    void cancelledEntriesDoNotFire() throws Exception {
        Recorder cancelled = new Recorder();
        Recorder after = new Recorder();
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
        wheel.schedule(cancelled, due);
        wheel.schedule(after, due + TimeUnit.MILLISECONDS.toNanos(20));
        wheel.cancel(cancelled);
        wheel.cancel(cancelled);

        assertThat(after.fired.await(LATE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(cancelled.count).hasValue(0);
    }

    @Test
    void anEntryThatThrowsEndsNothing() throws Exception {
        wheel.schedule(
                new TimerEntry() {
                    @Override
                    public void fire() {
                        throw new StackOverflowError("planted");
                    }
                },
                System.nanoTime());
        Recorder later = new Recorder();
        wheel.schedule(later, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(later.fired.await(LATE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    }

    @Test
    void churnLeavesNothingBehind() throws Exception {
        long seed = System.nanoTime();
        System.err.println("TimerWheelTests.churnLeavesNothingBehind seed " + seed);
        int threads = 4;
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Thread> churning = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Random random = new Random(seed + i);
            Thread thread = new Thread(() -> churn(start, random));
            thread.start();
            churning.add(thread);
        }
        for (Thread thread : churning) {
            thread.join();
        }
        await().atMost(LATE).until(() -> wheel.size() == 0);
    }

    private void churn(CyclicBarrier start, Random random) {
        try {
            start.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        for (int i = 0; i < 5_000; i++) {
            Recorder entry = new Recorder();
            wheel.schedule(entry, System.nanoTime() + random.nextInt(20_000_000));
            if (random.nextBoolean()) {
                wheel.schedule(entry, System.nanoTime() + random.nextInt(20_000_000));
            }
            wheel.cancel(entry);
        }
    }

    @Test
    void startsNoThreadBeforeTheFirstEntryAndEndsItWhenClosed() {
        TimerWheel idle = new TimerWheel(EngineClock.SYSTEM);
        long before = watchdogs();
        idle.close();
        assertThat(watchdogs()).isEqualTo(before);

        wheel.schedule(new Recorder(), System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        assertThat(watchdogs()).isEqualTo(before + 1);
        wheel.close();
        assertThat(watchdogs()).isEqualTo(before);
    }

    @Test
    void firesWithTheNextEntryWhatWasScheduledWhenItsThreadCouldNotBeStarted() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        TimerWheel starved = new TimerWheel(EngineClock.SYSTEM, work -> {
            if (failures.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread (planted)");
            }
            return LockThreads.thread("lock-watchdog", work);
        });
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        starved.schedule(first, System.nanoTime());
        assertThat(failures).hasValue(1);
        starved.schedule(second, System.nanoTime());

        assertThat(first.fired.await(LATE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(second.fired.await(LATE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        starved.close();
    }

    private static long watchdogs() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lock-watchdog-"))
                .count();
    }

    private static final class Recorder extends TimerEntry {

        final CountDownLatch fired = new CountDownLatch(1);
        final AtomicInteger count = new AtomicInteger();
        volatile long firedAt;

        @Override
        public void fire() {
            firedAt = System.nanoTime();
            count.incrementAndGet();
            fired.countDown();
        }
    }
}
