package io.github.lockstarter.sample.experiment.stage;

/**
 * What is to be set up.
 *
 * @param instances how many instances of the application, 1 to 8
 * @param topology where the locks of v3 are kept
 */
public record StagePlan(int instances, Topology topology) {

    /** Most instances. */
    public static final int MOST_INSTANCES = 8;

    /** Checks the number. */
    public StagePlan {
        if (instances < 1 || instances > MOST_INSTANCES) {
            throw new IllegalArgumentException(
                    "instances is " + instances + "; choose 1 to " + MOST_INSTANCES + " of them");
        }
    }
}
