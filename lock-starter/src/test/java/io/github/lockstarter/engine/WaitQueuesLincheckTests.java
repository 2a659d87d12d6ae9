package io.github.lockstarter.engine;

import io.github.lockstarter.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Model check of the local queue of one key, with its coming and going in the map: every interleaving of joining, leaving
 * and being granted gives what some order of the same calls gives on a plain list. In particular no waiter is ever left
 * in a queue that nobody serves.
 */
@Param(name = "waiter", gen = IntGen.class, conf = "0:2")
public class WaitQueuesLincheckTests {

    private static final int WAITERS = 3;
    private static final String KEY = "key";

    private final Tokens tokens = new Tokens();
    private final WaitQueues queues = new WaitQueues(tokens::next, new Backoff(EngineSettings.Retry.DEFAULTS));
    private final List<Acquisition> acquisitions = new ArrayList<>();
    private final AtomicReferenceArray<Attempt> attempts = new AtomicReferenceArray<>(WAITERS);
    private final AtomicReferenceArray<Boolean> joined = new AtomicReferenceArray<>(WAITERS);

    public WaitQueuesLincheckTests() {
        Terms terms = new Terms("name", Duration.ofSeconds(30), Duration.ofDays(1), Renewal.ON);
        for (int i = 0; i < WAITERS; i++) {
            acquisitions.add(new Acquisition(KEY, terms, Owner.HANDLE, 0, a -> {}));
        }
    }

    @Operation
    public String join(@Param(name = "waiter") int waiter) {
        if (!joined.compareAndSet(waiter, null, true)) {
            return "joined before";
        }
        return told(queues.join(acquisitions.get(waiter)));
    }

    @Operation
    public String leave(@Param(name = "waiter") int waiter) {
        Acquisition acquisition = acquisitions.get(waiter);
        return told(queues.ask(KEY, queue -> queue.leave(acquisition)));
    }

    @Operation
    public String grant(@Param(name = "waiter") int waiter) {
        Attempt attempt = attempts.get(waiter);
        return attempt == null ? "no attempt" : told(queues.ask(KEY, queue -> queue.granted(attempt)));
    }

    @Operation
    public int waiting() {
        return queues.waiting();
    }

    private String told(Next next) {
        String withdrawal = next.withdrawal() == null ? "" : "withdraw ";
        Attempt attempt = next.attempt();
        if (attempt == null) {
            return withdrawal.isEmpty() ? "nothing" : withdrawal;
        }
        int waiter = acquisitions.indexOf(attempt.acquisition());
        attempts.set(waiter, attempt);
        return withdrawal + "attempt";
    }

    @Test
    void behavesAsIfEachCallWereAtomic() {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(2)
                .iterations(15)
                .invocationsPerIteration(300)
                .sequentialSpecification(Sequential.class)
                .check(WaitQueuesLincheckTests.class);
    }

    /** A list whose first waiter has an attempt under way. */
    public static class Sequential {

        private final List<Integer> waiters = new ArrayList<>();
        private final boolean[] joined = new boolean[WAITERS];
        private final boolean[] attempted = new boolean[WAITERS];

        public String join(int waiter) {
            if (joined[waiter]) {
                return "joined before";
            }
            joined[waiter] = true;
            waiters.add(waiter);
            return waiters.size() == 1 ? attemptByFirst() : "nothing";
        }

        public String leave(int waiter) {
            if (!waiters.contains(waiter)) {
                return "nothing";
            }
            boolean first = waiters.get(0) == waiter;
            waiters.remove((Integer) waiter);
            if (!first) {
                return "nothing";
            }
            return waiters.isEmpty() ? "withdraw " : "withdraw " + attemptByFirst();
        }

        public String grant(int waiter) {
            if (!attempted[waiter]) {
                return "no attempt";
            }
            if (waiters.isEmpty() || waiters.get(0) != waiter) {
                return "nothing";
            }
            waiters.remove(0);
            return waiters.isEmpty() ? "nothing" : attemptByFirst();
        }

        public int waiting() {
            return waiters.size();
        }

        private String attemptByFirst() {
            attempted[waiters.get(0)] = true;
            return "attempt";
        }
    }
}
