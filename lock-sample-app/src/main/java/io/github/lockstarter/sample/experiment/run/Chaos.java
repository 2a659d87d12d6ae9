package io.github.lockstarter.sample.experiment.run;

import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Kills the holder when a quarter of the requests have been answered, and restarts Redis at the half. What cannot be done, since
 * nobody is in the critical section any more, is left out: the result tells what was done. An act that has begun is brought to
 * its end: a Redis that was killed has to come back.
 */
final class Chaos implements Runnable {

    private static final Duration LOOK = Duration.ofMillis(2);

    private final RunPlan plan;
    private final Tally tally;
    private final Acts acts;
    private final AtomicBoolean over = new AtomicBoolean();

    Chaos(RunPlan plan, Tally tally, Acts acts) {
        this.plan = plan;
        this.tally = tally;
        this.acts = acts;
    }

    /** Nothing more is begun. */
    void end() {
        over.set(true);
    }

    @Override
    public void run() {
        awaitAnswers(plan.requests() / 4);
        perform(Act.KILL_HOLDER);
        awaitAnswers(plan.requests() / 2);
        perform(Act.RESTART_REDIS);
    }

    private void awaitAnswers(int answers) {
        while (tally.answered() < answers && !over.get()) {
            SimulatedWork.lasting(LOOK);
        }
    }

    private void perform(Act act) {
        while (!over.get()) {
            try {
                acts.perform(act, Duration.ZERO);
                return;
            } catch (ActRefusedException nobody) {
                SimulatedWork.lasting(LOOK);
            }
        }
    }
}
