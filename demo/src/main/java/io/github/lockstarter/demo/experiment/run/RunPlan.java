package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.util.List;

/**
 * What is to be run.
 *
 * @param id number of the run, from 1
 * @param variant how requests are counted
 * @param requests how many are sent at once, 1 to 5,000
 * @param faults what interferes in mid-run, in this order
 */
public record RunPlan(long id, Variant variant, int requests, List<Fault> faults) {

    /** Most requests. */
    public static final int MOST_REQUESTS = 5000;

    /** A fault may need a second one, where an instance comes up just then. */
    private static final int HELD_BACK_FOR_EACH = 3;

    /** Checks the number. */
    public RunPlan {
        faults = List.copyOf(faults);
        if (requests < 1 || requests > MOST_REQUESTS) {
            throw new IllegalArgumentException(
                    "requests is " + requests + "; choose 1 to " + MOST_REQUESTS + " of them");
        }
    }

    /** How many requests wait until a fault asks for them. */
    int heldBack() {
        return Math.min(requests, HELD_BACK_FOR_EACH * faults.size());
    }

    /** Each run counts a page of its own, so that what a former run has left under way does no harm. */
    String page() {
        return "run-" + id;
    }
}
