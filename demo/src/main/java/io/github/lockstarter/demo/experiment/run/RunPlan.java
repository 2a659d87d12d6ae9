package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.util.List;

/**
 * Plan of a run.
 *
 * @param id starts at 1
 * @param requests sent at once, 1 to 5,000
 * @param faults occur during the run, in this order
 */
public record RunPlan(long id, Variant variant, int requests, List<RunFault> faults) {

    public static final int MOST_REQUESTS = 5000;

    /** A fault may need a second request if an instance is just starting. */
    private static final int HELD_BACK_FOR_EACH = 3;

    public RunPlan {
        faults = List.copyOf(faults);
        if (requests < 1 || requests > MOST_REQUESTS) {
            throw new IllegalArgumentException(
                    "requests is " + requests + "; choose 1 to " + MOST_REQUESTS + " of them");
        }
    }

    /** Number of requests that wait for faults. */
    int heldBack() {
        return Math.min(requests, HELD_BACK_FOR_EACH * faults.size());
    }

    /** A separate page for each run, so that leftovers of earlier runs do no harm. */
    String page() {
        return "run-" + id;
    }
}
