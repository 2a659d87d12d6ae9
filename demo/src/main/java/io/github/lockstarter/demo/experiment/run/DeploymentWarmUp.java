package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.InstanceProcess;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Counts in each instance and variant before measuring: this loads classes and opens connections, and the Redlock
 * servers, which grant nothing within {@code max-lease} of their first use, are ready.
 */
public final class DeploymentWarmUp {

    private static final int REQUESTS = 20;

    private DeploymentWarmUp() {}

    /**
     * Warms up a deployment and waits until that is done.
     *
     * @throws IllegalStateException if a request was not answered
     */
    public static void of(Deployment deployment) {
        RequestStatistics statistics = new RequestStatistics();
        try (LoadClient client = new LoadClient(statistics, () -> cannotAnswer(deployment))) {
            CompletableFuture.allOf(deployment.instances().stream()
                            .flatMap(instance -> requests(client, instance))
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
        int sent = deployment.instances().size() * Variant.values().length * REQUESTS;
        if (statistics.answered() < sent) {
            throw new IllegalStateException(
                    "Of " + sent + " requests to warm up, " + statistics.answered() + " were answered");
        }
    }

    private static boolean cannotAnswer(Deployment deployment) {
        return deployment.isClosed()
                || deployment.instances().stream()
                        .anyMatch(instance -> instance.status() == InstanceProcess.Status.DOWN);
    }

    private static Stream<CompletableFuture<Void>> requests(LoadClient client, InstanceProcess instance) {
        return Arrays.stream(Variant.values())
                .map(variant -> client.fire(
                        instance.uri(variant.path() + "?page=warm-up"),
                        instance.name(),
                        new RequestSchedule(REQUESTS, 0)));
    }
}
