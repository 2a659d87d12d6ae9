package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The result of a wait, and the thread during it. */
@Timeout(180)
class BlockingWaitTests {

    private static final Duration SOON = Duration.ofMillis(30);
    private static final Duration LATE = Duration.ofSeconds(20);

    @AfterEach
    void forgetTheInterrupt() {
        Thread.interrupted();
    }

    /** On its own thread, not in the common pool. */
    private static void later(Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        TimeUnit.MILLISECONDS.sleep(SOON.toMillis()); // so that the wait has begun
                        work.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "later");
        thread.setDaemon(true);
        thread.start();
    }

    @Test
    void returnsAResultThatArrivesLater() throws Exception {
        CompletableFuture<String> future = new CompletableFuture<>();
        later(() -> future.complete("result"));

        assertThat(BlockingWait.await(future)).isEqualTo("result");
        assertThat(BlockingWait.await(future, Duration.ZERO)).isTrue();
        assertThat(BlockingWait.awaitUninterruptibly(future)).isEqualTo("result");
        assertThat(BlockingWait.awaitUninterruptibly(future, Duration.ZERO)).isTrue();
    }

    @Test
    void throwsAFailureThatArrivesLater() throws Exception {
        IllegalStateException failure = new IllegalStateException("told");
        CompletableFuture<String> future = new CompletableFuture<>();
        later(() -> future.completeExceptionally(failure));

        assertThatThrownBy(() -> BlockingWait.await(future))
                .isInstanceOf(CompletionException.class)
                .hasCause(failure);
        assertThatThrownBy(() -> BlockingWait.awaitUninterruptibly(future))
                .isInstanceOf(CompletionException.class)
                .hasCause(failure);
        assertThat(BlockingWait.await(future, LATE)).isTrue();
        assertThat(BlockingWait.awaitUninterruptibly(future, LATE)).isTrue();
    }

    @Test
    void throwsWhenTheFutureIsCancelled() {
        CompletableFuture<String> future = new CompletableFuture<>();
        later(() -> future.cancel(false));

        assertThatThrownBy(() -> BlockingWait.await(future)).isInstanceOf(CancellationException.class);
    }

    @Test
    void stopsWaitingAtTheLimitAndLeavesTheFutureIncomplete() throws Exception {
        CompletableFuture<String> future = new CompletableFuture<>();

        assertThat(BlockingWait.await(future, SOON)).isFalse();
        assertThat(BlockingWait.await(future, Duration.ZERO)).isFalse();
        assertThat(BlockingWait.awaitUninterruptibly(future, SOON)).isFalse();
        assertThat(BlockingWait.awaitUninterruptibly(future, SOON.negated())).isFalse();
        assertThat(future).isNotDone();
    }

    @Test
    void acceptsTheLongestLimit() throws Exception {
        CompletableFuture<String> future = new CompletableFuture<>();
        later(() -> future.complete("result"));

        assertThat(BlockingWait.await(future, Duration.ofSeconds(Long.MAX_VALUE)))
                .isTrue();
    }

    @Test
    void anInterruptEndsTheWaitAndClearsTheFlag() {
        Thread waiting = Thread.currentThread();
        later(waiting::interrupt);

        assertThatThrownBy(() -> BlockingWait.await(new CompletableFuture<>()))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        waiting.interrupt();
        assertThatThrownBy(() -> BlockingWait.await(new CompletableFuture<>(), LATE))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void anUninterruptibleWaitRestoresTheInterrupt() {
        Thread.currentThread().interrupt();
        CompletableFuture<String> future = new CompletableFuture<>();
        later(() -> future.complete("result"));

        assertThat(BlockingWait.awaitUninterruptibly(future)).isEqualTo("result");
        assertThat(Thread.interrupted()).isTrue();

        Thread.currentThread().interrupt();
        assertThat(BlockingWait.awaitUninterruptibly(new CompletableFuture<>(), SOON))
                .isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aWaitingWorkerRunsNoTaskOfItsPool() throws Exception {
        assertThat(ForkJoinPool.getCommonPoolParallelism()).isEqualTo(3);
        assertRunsNoTaskOf(ForkJoinPool.commonPool());
    }

    @Test
    void aWaitingWorkerOfACustomPoolRunsNoTaskOfIt() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(1);
        try {
            assertRunsNoTaskOf(pool);
        } finally {
            pool.shutdownNow();
        }
    }

    /**
     * The tasks run on another worker of the pool, a spare one if there is no other, while the first one waits for
     * them.
     */
    private static void assertRunsNoTaskOf(ForkJoinPool pool) throws Exception {
        ConcurrentLinkedQueue<Thread> ranOn = new ConcurrentLinkedQueue<>();
        Future<Thread> waiting = pool.submit(() -> {
            List<CompletableFuture<Void>> forked = IntStream.range(0, 20)
                    .mapToObj(i -> CompletableFuture.runAsync(() -> ranOn.add(Thread.currentThread()), pool))
                    .toList();
            BlockingWait.await(CompletableFuture.allOf(forked.toArray(CompletableFuture[]::new)), LATE);
            return Thread.currentThread();
        });
        Thread waiter = waiting.get(LATE.toSeconds(), TimeUnit.SECONDS);
        assertThat(ranOn).hasSize(20).doesNotContain(waiter);
    }

    @Test
    void aWorkerWaitsEvenIfItsPoolCannotStartAnother() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(
                1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, false, 1, 1, 1, null, 1, TimeUnit.MINUTES);
        try {
            CompletableFuture<String> future = new CompletableFuture<>();
            Future<String> waiting = pool.submit(() -> BlockingWait.await(future));
            Future<Boolean> inVain =
                    pool.submit(() -> BlockingWait.awaitUninterruptibly(new CompletableFuture<>(), SOON));
            later(() -> future.complete("result"));

            assertThat(waiting.get(LATE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("result");
            assertThat(inVain.get(LATE.toSeconds(), TimeUnit.SECONDS)).isFalse();
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void failsOnAThreadThatServesAllLocks() throws Exception {
        CompletableFuture<Object> complete = CompletableFuture.completedFuture("result");
        CompletableFuture<Throwable> refusal = new CompletableFuture<>();
        CompletableFuture<Object> result = new CompletableFuture<>();

        LockThreads.nonBlocking("lock-test", () -> {
                    result.complete(BlockingWait.awaitUninterruptibly(complete));
                    try {
                        BlockingWait.awaitUninterruptibly(new CompletableFuture<>());
                    } catch (RuntimeException e) {
                        refusal.complete(e);
                    }
                })
                .start();

        assertThat(result.get(LATE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("result");
        assertThat(refusal.get(LATE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("lock-test-", "serves all locks", "a thread of the application");
    }
}
