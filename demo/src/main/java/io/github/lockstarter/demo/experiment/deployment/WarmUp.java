package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Has each instance count in each variant before anything is measured: classes are loaded, connections open, and the
 * servers of Redlock, which grant nothing within {@code max-lease} of their first use, old enough.
 */
final class WarmUp {

    private static final String PAGE = "warm-up";
    private static final int REQUESTS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int UNAVAILABLE = 503;

    private final List<Instance> instances;
    private final HttpClient http = HttpClient.newHttpClient();

    WarmUp(List<Instance> instances) {
        this.instances = List.copyOf(instances);
    }

    void run() {
        instances.stream()
                .flatMap(instance -> Arrays.stream(Variant.values()).map(variant -> request(instance, variant)))
                .flatMap(request -> IntStream.range(0, REQUESTS).mapToObj(i -> request))
                .map(request -> send(request, System.nanoTime()))
                .toList()
                .forEach(CompletableFuture::join);
    }

    /** The first connections of a busy machine may not open in time; then it is asked again. */
    private CompletableFuture<Void> send(HttpRequest request, long began) {
        return http.sendAsync(request, BodyHandlers.ofString()).thenCompose(answer -> {
            if (answer.statusCode() == UNAVAILABLE && System.nanoTime() - began < TIMEOUT.toNanos()) {
                return send(request, began);
            }
            check(answer);
            return CompletableFuture.completedFuture(null);
        });
    }

    private static HttpRequest request(Instance instance, Variant variant) {
        return HttpRequest.newBuilder(instance.uri(variant.path() + "?page=" + PAGE))
                .timeout(TIMEOUT)
                .POST(BodyPublishers.noBody())
                .build();
    }

    private static void check(HttpResponse<String> answer) {
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.uri() + " answered " + answer.statusCode() + ": " + answer.body());
        }
    }
}
