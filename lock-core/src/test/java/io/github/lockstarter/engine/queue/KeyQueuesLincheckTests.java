package io.github.lockstarter.engine.queue;

import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.heartbeat.Certainty;
import io.github.lockstarter.engine.hold.Grant;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.HoldOwner;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.engine.timer.TimerEntry;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model check of the local queue of one key, with its coming and going in the map: every interleaving of joining,
 * leaving, being granted and being handed the lock gives what some order of the same calls gives on a plain list. In
 * particular no waiter is ever left in a queue that nobody serves.
 */
@Param(name = "waiter", gen = IntGen.class, conf = "0:2")
@Tag(Effort.SLOW)
public class KeyQueuesLincheckTests {

    private static final int WAITERS = 3;
    private static final String KEY = "key";

    /** One for all: each waiter has one attempt at most, so that it is known by its acquisition. */
    private static final LockToken TOKEN = new LockToken("instance", 1);

    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Stands for a hold, which the queue does not look into. */
    private static final AcquireOutcome.Got TAKEN = got();

    private final KeyQueues queues = new KeyQueues(new KeyQueue.Collaborators(
            key -> Optional.empty(),
            acquisition -> TOKEN,
            () -> TOKEN,
            key -> 1,
            new Backoff(EngineSettings.DEFAULTS.maxRetryDelay(), new Random(1)),
            new NoAlarms()));
    private final List<Acquisition> acquisitions = new ArrayList<>();

    public KeyQueuesLincheckTests() {
        ResolvedRequest terms = new ResolvedRequest(
                "name",
                LEASE,
                Duration.ofDays(1),
                Renewal.ON,
                Duration.ZERO,
                Duration.ZERO,
                Optional.empty(),
                Duration.ZERO);
        for (int i = 0; i < WAITERS; i++) {
            acquisitions.add(new Acquisition(KEY, terms, HoldOwner.HANDLE, 0, a -> {}));
        }
    }

    private static final HandOverOffer SUCCESSION = new HandOverOffer() {
        @Override
        public Optional<AcquireOutcome.Got> to(Acquisition waiter) {
            return Optional.of(TAKEN);
        }

        @Override
        public boolean ranOutEarly() {
            return false;
        }

        @Override
        public void refused(AcquireOutcome.Got refused) {}
    };

    private static AcquireOutcome.Got got() {
        ResolvedRequest terms = new ResolvedRequest(
                "name",
                LEASE,
                Duration.ofDays(1),
                Renewal.ON,
                Duration.ZERO,
                Duration.ZERO,
                Optional.empty(),
                Duration.ZERO);
        Acquisition acquisition = new Acquisition(KEY, terms, HoldOwner.HANDLE, 0, a -> {});
        Deadline.Moment sent = new Deadline.Moment(0, 0);
        Grant grant =
                new Grant(new Grant.Asked(TOKEN, 1, terms, sent, Certainty.BY_LEASE), new AcquireResult.Granted(1, 0));
        Hold.Spec spec = Hold.Spec.first(KEY, grant, sent, terms);
        return new AcquireOutcome.Got(new Hold(spec, acquisition, EngineClock.SYSTEM, hold -> {}));
    }

    @Operation(runOnce = true)
    public String joinFirst() {
        return told(queues.join(acquisitions.get(0)));
    }

    @Operation(runOnce = true)
    public String joinSecond() {
        return told(queues.join(acquisitions.get(1)));
    }

    @Operation(runOnce = true)
    public String joinThird() {
        return told(queues.join(acquisitions.get(2)));
    }

    @Operation
    public String leave(@Param(name = "waiter") int waiter) {
        Acquisition acquisition = acquisitions.get(waiter);
        return told(queues.apply(KEY, queue -> queue.leave(acquisition)));
    }

    @Operation
    public String grant(@Param(name = "waiter") int waiter) {
        AcquireAttempt attempt = new AcquireAttempt(acquisitions.get(waiter), TOKEN, Waiting.NEW, 1);
        return told(queues.apply(KEY, queue -> queue.granted(attempt, TAKEN, 0)));
    }

    @Operation
    public String handOver() {
        return told(queues.apply(KEY, queue -> queue.handOver(SUCCESSION)));
    }

    @Operation
    public String freed() {
        return told(queues.apply(KEY, KeyQueue::freed));
    }

    private static String told(QueueActions next) {
        String withdrawal = next.withdrawal() == null ? "" : "withdraw ";
        String attempt = next.attempt() == null ? "" : "attempt ";
        return withdrawal + attempt + (next.decided().isEmpty() ? "" : "decided");
    }

    @Test
    void behavesAsIfEachCallWereAtomic() {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(2)
                .iterations(Effort.of(1, 8))
                .invocationsPerIteration(Effort.of(50, 300))
                .sequentialSpecification(Sequential.class)
                .check(KeyQueuesLincheckTests.class);
    }

    /** Nothing is ever late in this test. */
    private static final class NoAlarms implements EngineTimer {

        @Override
        public void schedule(TimerEntry entry, long dueNanos) {}

        @Override
        public void cancel(TimerEntry entry) {}

        @Override
        public void afterEachTick(Runnable step) {}

        @Override
        public void close() {}
    }

    /** A list, and the waiter whose attempt is under way, which may have left. */
    public static class Sequential {

        private final List<Integer> waiters = new ArrayList<>();
        private final Set<Integer> decided = new HashSet<>();
        private @Nullable Integer underWay;

        public String joinFirst() {
            return join(0);
        }

        public String joinSecond() {
            return join(1);
        }

        public String joinThird() {
            return join(2);
        }

        private String join(int waiter) {
            waiters.add(waiter);
            return waiters.size() == 1 ? attempt() : "";
        }

        private String attempt() {
            if (waiters.isEmpty() || underWay != null) {
                return "";
            }
            underWay = waiters.get(0);
            return "attempt ";
        }

        public String leave(int waiter) {
            if (!waiters.contains(waiter)) {
                return "";
            }
            boolean first = waiters.get(0) == waiter;
            waiters.remove((Integer) waiter);
            return first ? attempt() : "";
        }

        public String grant(int waiter) {
            if (underWay == null || underWay != waiter) {
                return "";
            }
            underWay = null;
            waiters.remove((Integer) waiter);
            return attempt() + (decided.add(waiter) ? "decided" : "");
        }

        public String handOver() {
            if (waiters.isEmpty()) {
                return "";
            }
            decided.add(waiters.remove(0));
            return "decided";
        }

        public String freed() {
            return attempt();
        }
    }
}
