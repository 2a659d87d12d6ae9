package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ApplicationContext;

/** Calls of two methods, in two applications, whose lists of keys overlap and have other orders. */
class OverlappingListsIT {

    private static final int CALLS = Effort.of(2_000, 10_000);
    private static final int THREADS = 4;
    private static final int ORDERS = 5;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final List<CriticalSection> sections =
            IntStream.range(0, ORDERS).mapToObj(order -> new CriticalSection()).toList();

    /** Public, since its proxy may come from another class loader. */
    public static class Orders {

        @DistributedLock(name = "order", key = "#ids")
        public void pack(List<Integer> ids, List<CriticalSection> sections) {
            ids.forEach(id -> work(id, sections));
        }

        @DistributedLock(name = "order", key = "#ids")
        public void cancel(Integer[] ids, List<CriticalSection> sections) {
            List.of(ids).forEach(id -> work(id, sections));
        }

        private static void work(int id, List<CriticalSection> sections) {
            LockHandle lock = LockHandle.current().orElseThrow();
            sections.get(id).run(lock.fencingToken("order:" + id));
        }
    }

    private static void withApplications(Callers callers) {
        RedisApplication.on(REDIS.server()).withBean(Orders.class).run(one -> RedisApplication.on(REDIS.server())
                .withBean(Orders.class)
                .run(other -> callers.call(one, other)));
    }

    private interface Callers {
        void call(ApplicationContext one, ApplicationContext other) throws Exception;
    }

    private static void inParallel(Stream<Callable<Void>> tasks) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Void>> results = tasks.map(threads::submit).toList();
            for (Future<Void> result : results) {
                result.get(10 * Patience.SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void neverBlockEachOtherForever() throws Exception {
        withApplications((one, other) -> {
            inParallel(LongStream.range(0, THREADS).mapToObj(thread -> () -> {
                Orders orders = (thread % 2 == 0 ? one : other).getBean(Orders.class);
                Random random = new Random(thread);
                for (int call = 0; call < CALLS / THREADS; call++) {
                    List<Integer> ids =
                            new ArrayList<>(IntStream.range(0, ORDERS).boxed().toList());
                    Collections.shuffle(ids, random);
                    List<Integer> some = ids.subList(0, 2 + random.nextInt(2));
                    if (call % 2 == 0) {
                        orders.pack(some, sections);
                    } else {
                        orders.cancel(some.toArray(Integer[]::new), sections);
                    }
                }
                return null;
            }));
        });

        int runs = 0;
        for (CriticalSection section : sections) {
            section.assertExclusive(section.count());
            runs += section.count();
        }
        assertThat(runs).isBetween(2 * CALLS, 3 * CALLS);
    }

    /** Each call has its first lock before one tries its second: only the end of a wait ends the deadlock. */
    @Test
    void theCheckFindsADeadlockWithoutTheCommonOrder() throws Exception {
        CyclicBarrier haveFirst = new CyclicBarrier(2);
        List<LockNotAcquiredException> refusals = Collections.synchronizedList(new ArrayList<>());
        withApplications((one, other) -> inParallel(Stream.<Callable<Void>>of(
                () -> lockOneByOne(one, haveFirst, refusals, 0, 1),
                () -> lockOneByOne(other, haveFirst, refusals, 1, 0))));

        assertThat(refusals).isNotEmpty();
    }

    private static Void lockOneByOne(
            ApplicationContext context,
            CyclicBarrier haveFirst,
            List<LockNotAcquiredException> refusals,
            int first,
            int second)
            throws Exception {
        LockOperations locks = context.getBean(LockOperations.class);
        try (LockHandle outer = locks.acquire("order:" + first)) {
            haveFirst.await(Patience.SECONDS, TimeUnit.SECONDS);
            try (LockHandle inner = locks.acquire(
                    LockRequest.of("order:" + second).maxWait(Duration.ofMillis(Patience.MOMENT_MILLIS)))) {
                inner.ensureHeld();
            } catch (LockNotAcquiredException e) {
                refusals.add(e);
            }
            outer.ensureHeld();
        }
        return null;
    }
}
