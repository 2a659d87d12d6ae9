package io.github.lockstarter.contract;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Callers on workers of a ForkJoinPool. A worker that waits in {@link CompletableFuture#get} runs other tasks of its
 * queue meanwhile: on JDK 17 in the common pool, from JDK 21 on in every pool. Such a task would run inside the lock.
 */
public @ParameterizedClass @EnumSource abstract class EngineForkJoinContract extends EngineContract {

    /** Where the callers run. */
    enum Pool {
        COMMON,
        OWN
    }

    private static final int WORKERS = 3;
    private static final Duration WAIT = Patience.TIME;

    @Parameter
    Pool kind;

    private final ForkJoinPool own = new ForkJoinPool(WORKERS);
    private final CountDownLatch end = new CountDownLatch(1);

    public EngineForkJoinContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @AfterEach
    void freeTheWorkers() {
        end.countDown();
        own.shutdownNow();
    }

    private ForkJoinPool pool() {
        // Surefire and Failsafe set it: the default common pool of two cores never shows the effect.
        assertThat(ForkJoinPool.getCommonPoolParallelism()).isEqualTo(WORKERS);
        return kind == Pool.OWN ? own : ForkJoinPool.commonPool();
    }

    /** Runs on a worker while all others are busy, so its forked tasks stay in its own queue. */
    private <T> Future<T> onTheOnlyIdleWorker(Callable<T> work) throws Exception {
        CountDownLatch busy = new CountDownLatch(WORKERS - 1);
        for (int i = 1; i < WORKERS; i++) {
            pool().execute(() -> {
                busy.countDown();
                awaitEnd();
            });
        }
        assertThat(busy.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        return pool().submit(work);
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aWaitingTaskRunsNoForkedTaskInsideItsLock() throws Exception {
        String other = key + ":other";
        LockHandle held = second.locks().acquire(LockRequest.of(other));
        int[] counter = new int[1];
        ConcurrentLinkedQueue<Long> fencingTokens = new ConcurrentLinkedQueue<>();

        Future<CompletableFuture<Void>> section = onTheOnlyIdleWorker(() -> {
            try (LockHandle outer = first.locks().acquire(request.maxWait(WAIT))) {
                fencingTokens.add(outer.fencingToken());
                int seen = counter[0];
                CompletableFuture<Void> forked = CompletableFuture.runAsync(
                        () -> {
                            try (LockHandle inner = first.locks().acquire(request.maxWait(WAIT))) {
                                fencingTokens.add(inner.fencingToken());
                                counter[0]++;
                            }
                        },
                        pool());
                first.locks().acquire(LockRequest.of(other).maxWait(WAIT)).close();
                counter[0] = seen + 1;
                return forked;
            }
        });
        await().untilAsserted(() -> assertThat(first.events().of(LockEvent.Contended.class))
                .extracting(LockEvent.Contended::key)
                .contains(other));
        held.close();
        resultOf(resultOf(section));

        assertThat(counter[0]).isEqualTo(2);
        assertThat(fencingTokens).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void aWorkerRunsNoOtherTaskWhileItWaitsForALock() throws Exception {
        try (LockHandle held = second.locks().acquire(request)) {
            assertThat(held.isHeld()).isTrue();
            assertRunsNoForeignTask(() -> first.locks().tryAcquire(request.maxWait(ofMillis(200))));
        }
    }

    @Test
    void aWorkerRunsNoOtherTaskWhileItReleases() throws Exception {
        assertRunsNoForeignTask(() -> first.locks().acquire(request), LockHandle::release);
    }

    @Test
    void aWorkerRunsNoOtherTaskWhileItExtends() throws Exception {
        assertRunsNoForeignTask(
                () -> first.locks().acquire(request), lock -> lock.extend(request.lease(ofSeconds(30))));
    }

    @Test
    void theHolderGetsAWorkerWhileAllOthersWait() throws Exception {
        LockHandle held = second.locks().acquire(request);
        List<CompletableFuture<Void>> waiters = IntStream.range(0, WORKERS)
                .mapToObj(i -> CompletableFuture.runAsync(
                        () -> first.locks()
                                .acquire(request.maxWait(Patience.TIME))
                                .close(),
                        pool()))
                .toList();
        awaitWaiters(first, WORKERS);

        resultOf(CompletableFuture.runAsync(held::close, pool()));

        for (CompletableFuture<Void> waiter : waiters) {
            resultOf(waiter);
        }
    }

    private void assertRunsNoForeignTask(Callable<?> call) throws Exception {
        assertRunsNoForeignTask(() -> "nothing", nothing -> call.call());
    }

    private interface Step<T> {

        void take(T prepared) throws Exception;
    }

    /** Each forked task records whether it runs on the calling worker during the call. */
    private <T> void assertRunsNoForeignTask(Callable<T> preparation, Step<T> call) throws Exception {
        AtomicReference<Thread> calling = new AtomicReference<>();
        ConcurrentLinkedQueue<String> inside = new ConcurrentLinkedQueue<>();
        Future<?> worker = onTheOnlyIdleWorker(() -> {
            T prepared = preparation.call();
            calling.set(Thread.currentThread());
            for (int i = 0; i < WORKERS; i++) {
                CompletableFuture.runAsync(
                        () -> {
                            if (Thread.currentThread() == calling.get()) {
                                inside.add("a task ran inside of the call");
                            }
                        },
                        pool());
            }
            call.take(prepared);
            calling.set(null);
            return null;
        });
        resultOf(worker);
        assertThat(inside).isEmpty();
    }
}
