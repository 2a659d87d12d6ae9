package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.process.Sleep;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Injects the planned faults, the first one after a quarter of the answers, the next after half, and so on. Sends the
 * remaining requests after the faults. Retries a fault without a target until all requests are answered; it is {@code
 * missed} then. A fault that has started is completed, since a killed Redis must restart.
 */
final class Chaos implements Runnable {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);
    private static final Duration PAUSE = Duration.ofSeconds(8);
    private static final int PARTS = 4;

    private final RunPlan plan;
    private final RequestStatistics statistics;
    private final RequestSchedule requests;
    private final FaultInjector faults;
    private final AtomicBoolean over = new AtomicBoolean();
    private final Queue<String> missed = new ConcurrentLinkedQueue<>();

    Chaos(RunPlan plan, RequestStatistics statistics, RequestSchedule requests, FaultInjector faults) {
        this.plan = plan;
        this.statistics = statistics;
        this.requests = requests;
        this.faults = faults;
    }

    void end() {
        over.set(true);
    }

    /** Missed faults, described for users. */
    List<String> missed() {
        return List.copyOf(missed);
    }

    @Override
    public void run() {
        try {
            int part = 0;
            for (RunFault fault : plan.faults()) {
                part++;
                awaitAnswers(plan.requests() * Math.min(part, PARTS - 1) / PARTS);
                perform(fault);
            }
        } finally {
            requests.sendRest();
        }
    }

    private void awaitAnswers(int answers) {
        while (statistics.answered() < answers && !over.get()) {
            waitBriefly();
        }
    }

    private void perform(RunFault fault) {
        String reason = "all requests were answered before";
        while (!over.get()) {
            try {
                faults.perform(fault, PAUSE);
                return;
            } catch (ConflictException refused) {
                reason = String.valueOf(refused.getMessage());
                waitBriefly();
            }
        }
        missed.add(KebabCase.of(fault) + " was left out: " + reason);
    }

    /** Sends a request if none is in progress, since otherwise nothing would change. */
    private void waitBriefly() {
        if (!requests.areUnderWay()) {
            requests.sendOne();
        }
        Sleep.lasting(POLL_INTERVAL);
    }
}
