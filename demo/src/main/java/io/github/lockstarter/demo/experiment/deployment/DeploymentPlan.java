package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.pageview.Variant;

/**
 * Plan of a deployment.
 *
 * @param instances 1 to 8
 * @param topology of the Redis with the locks of v3
 */
public record DeploymentPlan(int instances, LockTopology topology) {

    public static final int MOST_INSTANCES = 8;

    public DeploymentPlan {
        if (instances < 1 || instances > MOST_INSTANCES) {
            throw new IllegalArgumentException(
                    "instances is " + instances + "; choose 1 to " + MOST_INSTANCES + " of them");
        }
    }

    /** The place of a variant's locks; {@code -} without locks. */
    public String locksOf(Variant variant) {
        return switch (variant) {
            case V0, V1, V2 -> "-";
            case V3 -> KebabCase.of(topology);
            case V4 -> "five servers";
        };
    }
}
