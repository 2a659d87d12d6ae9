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
 * Interferes with a run as planned: first when a quarter of the requests have been answered, then at the half and so
 * on. The last requests are sent when the faults are done. What finds nothing to hit is tried again until all requests
 * are answered, and is then {@code missed}. A fault that has begun is brought to its end: a Redis that was killed has
 * to come back.
 */
final class Chaos implements Runnable {

    private static final Duration LOOK = Duration.ofMillis(2);
    private static final Duration PAUSE = Duration.ofSeconds(8);
    private static final int PARTS = 4;

    private final RunPlan plan;
    private final RequestStatistics statistics;
    private final Requests requests;
    private final FaultInjector faults;
    private final AtomicBoolean over = new AtomicBoolean();
    private final Queue<String> missed = new ConcurrentLinkedQueue<>();

    Chaos(RunPlan plan, RequestStatistics statistics, Requests requests, FaultInjector faults) {
        this.plan = plan;
        this.statistics = statistics;
        this.requests = requests;
        this.faults = faults;
    }

    /** Nothing more is begun. */
    void end() {
        over.set(true);
    }

    /** What found nothing to hit, in words. */
    List<String> missed() {
        return List.copyOf(missed);
    }

    @Override
    public void run() {
        try {
            int part = 0;
            for (Fault fault : plan.faults()) {
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
            letAMomentPass();
        }
    }

    private void perform(Fault fault) {
        String reason = "all requests were answered before";
        while (!over.get()) {
            try {
                faults.perform(fault, PAUSE);
                return;
            } catch (ConflictException refused) {
                reason = String.valueOf(refused.getMessage());
                letAMomentPass();
            }
        }
        missed.add(KebabCase.of(fault) + " was left out: " + reason);
    }

    /** With nothing under way, nothing would ever change. */
    private void letAMomentPass() {
        if (!requests.areUnderWay()) {
            requests.sendOne();
        }
        Sleep.lasting(LOOK);
    }
}
