package io.github.lockstarter.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.hold.HoldOwner;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.engine.timer.TimerEntry;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What holds while a queue decides. */
class KeyQueueTests {

    private static final String KEY = "key";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final LockToken TOKEN = new LockToken("instance", 1);
    private static final ResolvedRequest TERMS = new ResolvedRequest(
            "name",
            LEASE,
            Duration.ofDays(1),
            Renewal.ON,
            Duration.ZERO,
            Duration.ZERO,
            Optional.empty(),
            Duration.ZERO);

    /**
     * The timer's lock is taken there: a virtual thread that waits for it inside of a monitor keeps its carrier on JDK
     * 21 to 23.
     */
    @Test
    void holdsNoMonitorWhileItSetsAnAlarm() throws Exception {
        MonitorsAtAlarms alarms = new MonitorsAtAlarms();
        KeyQueues queues = new KeyQueues(new KeyQueue.Collaborators(
                key -> Optional.empty(),
                acquisition -> TOKEN,
                () -> TOKEN,
                key -> 1,
                new Backoff(EngineSettings.DEFAULTS.maxRetryDelay(), new Random(1)),
                alarms));
        Acquisition first = new Acquisition(KEY, TERMS, HoldOwner.HANDLE, 0, a -> {});
        Acquisition second = new Acquisition(KEY, TERMS, HoldOwner.HANDLE, 0, a -> {});

        Thread caller = new Thread(() -> {
            AcquireAttempt attempt = queues.join(first).attempt();
            queues.join(second);
            Obstacle busy = Obstacle.heldElsewhere(Optional.empty(), Optional.of(LEASE));
            queues.apply(KEY, queue -> queue.contended(attempt, busy, Waiting.NEW, 0));
            queues.apply(KEY, queue -> queue.alarm(first, 0));
            queues.apply(KEY, queue -> queue.leave(first));
        });
        caller.start();
        caller.join();

        assertThat(alarms.calls).as("calls of the timer").isGreaterThanOrEqualTo(4);
        assertThat(alarms.monitors).isEmpty();
    }

    private static final class MonitorsAtAlarms implements EngineTimer {

        private final List<MonitorInfo> monitors = new CopyOnWriteArrayList<>();
        private volatile int calls;

        @Override
        public void schedule(TimerEntry entry, long dueNanos) {
            note();
        }

        @Override
        public void cancel(TimerEntry entry) {
            note();
        }

        @Override
        public void afterEachTick(Runnable step) {}

        @Override
        public void close() {}

        @SuppressWarnings({"deprecation", "NonAtomicVolatileUpdate"}) // threadId() came with JDK 19; one thread calls
        private void note() {
            calls++;
            long[] self = {Thread.currentThread().getId()};
            monitors.addAll(List.of(ManagementFactory.getThreadMXBean()
                    .getThreadInfo(self, true, false)[0]
                    .getLockedMonitors()));
        }
    }
}
