package io.github.lockstarter.engine.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ElasticPoolTests {

    private final ElasticPool pool = new ElasticPool("lock-test", 4);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger ran = new AtomicInteger();

    @AfterEach
    void stop() {
        end.countDown();
        pool.shutdown();
    }

    private static void pass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void runsATaskForWhichAllOfItsThreadsWait() {
        CountDownLatch last = new CountDownLatch(1);
        for (int i = 0; i < 50; i++) {
            pool.execute(() -> {
                pass(last);
                ran.incrementAndGet();
            });
        }
        pool.execute(last::countDown);
        await().untilAsserted(() -> assertThat(ran).hasValue(50));
    }

    /** Short tasks never cost more threads, however many are queued. */
    @Test
    void keepsItsNumberOfThreadsWhileTasksEnd() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 400; i++) {
            pool.execute(() -> {
                threads.add(Thread.currentThread());
                pause(Duration.ofMillis(5));
                ran.incrementAndGet();
            });
        }
        await().untilAsserted(() -> assertThat(ran).hasValue(400));
        assertThat(threads).hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void hasItsUsualNumberOfThreadsAgainLater() {
        for (int i = 0; i < 30; i++) {
            pool.execute(() -> pass(end));
        }
        AtomicInteger extra = new AtomicInteger();
        pool.execute(extra::incrementAndGet);
        await().untilAsserted(() -> assertThat(extra).hasValue(1));
        end.countDown();
        pause(Duration.ofMillis(500));
        keepsItsNumberOfThreadsWhileTasksEnd();
    }

    /** More threads would only take the processor from each other. */
    @Test
    void hasNoMoreThreadsForTasksThatCompute() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 12; i++) {
            pool.execute(() -> {
                threads.add(Thread.currentThread());
                while (end.getCount() > 0) {
                    Thread.onSpinWait();
                }
            });
        }
        pause(Duration.ofMillis(500));
        assertThat(threads).hasSize(4);
    }

    @Test
    void queuesTasksWhereNoFurtherThreadCanBeStarted() {
        AtomicInteger started = new AtomicInteger();
        ThreadPoolExecutor scarce =
                new ThreadPoolExecutor(2, 2, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    if (started.incrementAndGet() > 2) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    Thread thread = new Thread(work);
                    thread.setDaemon(true);
                    return thread;
                });
        ElasticPool elastic = new ElasticPool(scarce);
        for (int i = 0; i < 3; i++) {
            elastic.execute(() -> pass(end));
        }
        await().until(() -> started.get() > 2);
        elastic.execute(ran::incrementAndGet); // and does not throw
        end.countDown();
        await().untilAsserted(() -> assertThat(ran).hasValue(1));
        elastic.shutdown();
    }

    @Test
    void takesNothingAfterItsEnd() {
        pool.shutdown();
        assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration.toMillis()); // a task that takes so long
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
