package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.LockThreads;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimerThreadTests {

    private final TimerThread timer = new TimerThread(EngineClock.SYSTEM);

    @AfterEach
    void close() {
        timer.close();
    }

    @Test
    void firesOnceAndNotBeforeItsTime() throws Exception {
        Recorder entry = new Recorder();
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(60);
        timer.schedule(entry, due);

        assertThat(entry.fired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(entry.firedAt - due).isNotNegative();
        assertThat(timer.isEmpty()).isTrue();
        assertThat(entry.count).hasValue(1);
    }

    @Test
    void firesInTheOrderOfTimesNotOfScheduling() throws Exception {
        Random random = new Random(42);
        List<Long> fired = Collections.synchronizedList(new ArrayList<>());
        List<TimerEntry> cancelled = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(200);
        AtomicLong now = new AtomicLong();
        TimerThread stopped = new TimerThread(new EngineClock(now::get, InstantSource.system()));
        try {
            for (int i = 0; i < 300; i++) {
                long due = TimeUnit.MILLISECONDS.toNanos(10L * (1 + random.nextInt(30)));
                TimerEntry entry = TimerEntry.of(() -> {
                    fired.add(due);
                    all.countDown();
                });
                stopped.schedule(entry, due);
                if (i % 3 == 0) {
                    cancelled.add(entry);
                }
            }
            cancelled.forEach(stopped::cancel);
            now.addAndGet(TimeUnit.HOURS.toNanos(1));
            stopped.schedule(new Recorder(), 0); // so that it reads the clock

            assertThat(all.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(fired).hasSize(200).isSorted();
            await().until(stopped::isEmpty);
        } finally {
            stopped.close();
        }
    }

    @Test
    void rescheduleReplacesTheEarlierTime() throws Exception {
        Recorder entry = new Recorder();
        timer.schedule(entry, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        timer.schedule(entry, System.nanoTime());

        assertThat(entry.fired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(timer.isEmpty()).isTrue();
    }

    @Test
    void aLaterTimeDoesNotReplaceAnEarlierOne() throws Exception {
        Recorder entry = new Recorder();
        timer.schedule(entry, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50));
        timer.schedule(entry, System.nanoTime() + TimeUnit.HOURS.toNanos(1));

        assertThat(entry.fired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(timer.isEmpty()).isTrue();
    }

    @Test
    void cancelledEntriesDoNotFire() throws Exception {
        Recorder cancelled = new Recorder();
        Recorder after = new Recorder();
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
        timer.schedule(cancelled, due);
        timer.schedule(after, due + TimeUnit.MILLISECONDS.toNanos(20));
        timer.cancel(cancelled);
        timer.cancel(cancelled);

        assertThat(after.fired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(cancelled.count).hasValue(0);
    }

    @Test
    void anEntryThatThrowsDoesNotStopTheTimer() throws Exception {
        timer.schedule(
                new TimerEntry() {
                    @Override
                    public void fire() {
                        throw new StackOverflowError("planted");
                    }
                },
                System.nanoTime());
        Recorder later = new Recorder();
        timer.schedule(later, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(later.fired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void cancelledEntriesLeaveNothingBehind() throws Exception {
        long seed = System.nanoTime();
        System.err.println("TimerThreadTests.cancelledEntriesLeaveNothingBehind seed " + seed);
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
        await().until(timer::isEmpty);
    }

    private void churn(CyclicBarrier start, Random random) {
        try {
            start.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        for (int i = 0; i < 5_000; i++) {
            Recorder entry = new Recorder();
            timer.schedule(entry, System.nanoTime() + random.nextInt(20_000_000));
            if (random.nextBoolean()) {
                timer.schedule(entry, System.nanoTime() + random.nextInt(20_000_000));
            }
            timer.cancel(entry);
        }
    }

    @Test
    void startsNoThreadBeforeTheFirstEntryAndEndsItWhenClosed() {
        TimerThread idle = new TimerThread(EngineClock.SYSTEM);
        long before = watchdogs();
        idle.close();
        assertThat(watchdogs()).isEqualTo(before);

        timer.schedule(new Recorder(), System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        assertThat(watchdogs()).isEqualTo(before + 1);
        timer.close();
        await().until(() -> watchdogs() == before);
    }

    @Test
    void firesAnEntryLaterWhenItsThreadCouldNotBeStarted() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        TimerThread starved = new TimerThread(EngineClock.SYSTEM, work -> {
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

        assertThat(first.fired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(second.fired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
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
