package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.demo.experiment.pageview.Variant;

/**
 * What is to be set up.
 *
 * @param instances how many instances of the application, 1 to 8
 * @param backend what keeps the locks of v3
 * @param topology of Redis, where that keeps them
 */
public record StagePlan(int instances, Backend backend, Topology topology) {

    /** Most instances. */
    public static final int MOST_INSTANCES = 8;

    /** Checks the number. */
    public StagePlan {
        if (instances < 1 || instances > MOST_INSTANCES) {
            throw new IllegalArgumentException(
                    "instances is " + instances + "; choose 1 to " + MOST_INSTANCES + " of them");
        }
    }

    /**
     * Where the locks of a variant are kept.
     *
     * @param variant the variant
     * @return a topology of Redis or another backend; {@code -} where there are no locks
     */
    public String locksOf(Variant variant) {
        return switch (variant) {
            case V0, V1, V2 -> "-";
            case V3 -> backend == Backend.REDIS ? topology.id() : backend.id();
            case V4 -> "five servers";
        };
    }

    /**
     * With the locks of v3 in Redis.
     *
     * @param instances how many instances of the application
     * @param topology of Redis
     */
    public StagePlan(int instances, Topology topology) {
        this(instances, Backend.REDIS, topology);
    }
}
