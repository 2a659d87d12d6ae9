package io.github.lockstarter.sample.experiment.run;

import java.time.Duration;

/**
 * Kills the holder when a quarter of the requests have been answered, and restarts Redis at the half. What cannot be done, since
 * nobody is in the critical section any more, is left out: the result tells what was done.
 */
final class Chaos implements Runnable {

    private static final Duration LOOK = Duration.ofMillis(2);
    private static final int ATTEMPTS = 10;

    private final RunPlan plan;
    private final Tally tally;
    private final Acts acts;

    Chaos(RunPlan plan, Tally tally, Acts acts) {
        this.plan = plan;
        this.tally = tally;
        this.acts = acts;
    }

    /** Until both are done, or this thread is interrupted. */
    @Override
    public void run() {
        try {
            awaitAnswers(plan.requests() / 4);
            perform(Act.KILL_HOLDER);
            awaitAnswers(plan.requests() / 2);
            perform(Act.RESTART_REDIS);
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitAnswers(int answers) throws InterruptedException {
        while (tally.answered() < answers) {
            Thread.sleep(LOOK.toMillis());
        }
    }

    private void perform(Act act) throws InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS && tally.answered() < plan.requests(); attempt++) {
            try {
                acts.perform(act, Duration.ZERO);
                return;
            } catch (ActRefusedException nobody) {
                Thread.sleep(LOOK.toMillis());
            }
        }
    }
}
