package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Interferes with a run as planned: first when a quarter of the requests have been answered, then at the half and so
 * on. The last requests are sent when the acts are done. What finds nothing to hit is tried again until all requests
 * are answered, and is then {@code missed}. An act that has begun is brought to its end: a Redis that was killed has to
 * come back.
 */
final class Chaos implements Runnable {

    private static final Duration LOOK = Duration.ofMillis(2);
    private static final Duration PAUSE = Duration.ofSeconds(8);
    private static final int PARTS = 4;

    private final RunPlan plan;
    private final Tally tally;
    private final Requests requests;
    private final Acts acts;
    private final AtomicBoolean over = new AtomicBoolean();
    private final Queue<String> missed = new ConcurrentLinkedQueue<>();

    Chaos(RunPlan plan, Tally tally, Requests requests, Acts acts) {
        this.plan = plan;
        this.tally = tally;
        this.requests = requests;
        this.acts = acts;
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
            for (Act act : plan.acts()) {
                part++;
                awaitAnswers(plan.requests() * Math.min(part, PARTS - 1) / PARTS);
                perform(act);
            }
        } finally {
            requests.sendRest();
        }
    }

    private void awaitAnswers(int answers) {
        while (tally.answered() < answers && !over.get()) {
            letAMomentPass();
        }
    }

    private void perform(Act act) {
        String reason = "all requests were answered before";
        while (!over.get()) {
            try {
                acts.perform(act, PAUSE);
                return;
            } catch (ActRefusedException refused) {
                reason = String.valueOf(refused.getMessage());
                letAMomentPass();
            }
        }
        missed.add(act.id() + " was left out: " + reason);
    }

    /** With nothing under way, nothing would ever change. */
    private void letAMomentPass() {
        if (!requests.areUnderWay()) {
            requests.sendOne();
        }
        SimulatedWork.lasting(LOOK);
    }
}
