package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.Instance;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Has each instance count in each variant before anything is measured: classes are loaded then, connections are open,
 * and the servers of Redlock, which grant nothing within {@code max-lease} of their first use, are old enough.
 */
public final class WarmUp {

    private static final int REQUESTS = 20;

    private WarmUp() {}

    /** Warms a deployment up, and waits until that is done. */
    public static void of(Deployment deployment) {
        try (LoadClient client = new LoadClient(new RequestStatistics(), deployment::isClosed)) {
            CompletableFuture.allOf(deployment.instances().stream()
                            .flatMap(instance -> requests(client, instance))
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
    }

    private static Stream<CompletableFuture<Void>> requests(LoadClient client, Instance instance) {
        return Arrays.stream(Variant.values())
                .map(variant -> client.fire(
                        instance.uri(variant.path() + "?page=warm-up"), instance.name(), new Requests(REQUESTS, 0)));
    }
}
