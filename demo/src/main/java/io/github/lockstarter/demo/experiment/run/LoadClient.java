package io.github.lockstarter.demo.experiment.run;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends the requests of a run over HTTP/1.1, so concurrent requests use separate connections. Repeats requests that
 * fail or are rejected (409, 5xx) with the same id until they are answered or time out.
 */
final class LoadClient implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration ONE_ANSWER = Duration.ofSeconds(90);
    private static final Duration ALL_ANSWERS = Duration.ofMinutes(3);
    private static final Duration PAUSE = Duration.ofMillis(250);
    private static final int THREADS = 4;
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;

    private final ExecutorService executor =
            Executors.newFixedThreadPool(THREADS, new DefaultThreadFactory("load", true));
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(executor)
            .build();
    private final RequestStatistics statistics;
    private final BooleanSupplier isOver;

    /** @param isOver whether to give up unanswered requests */
    LoadClient(RequestStatistics statistics, BooleanSupplier isOver) {
        this.statistics = statistics;
        this.isOver = isOver;
    }

    /**
     * Sends the requests.
     *
     * @param name prefix of the requests' ids
     * @return completes when each request was answered or given up; fails if one was rejected with another status
     */
    CompletableFuture<Void> fire(URI target, String name, RequestSchedule requests) {
        return requests.send(number -> send(request(target, name + "-" + number), System.nanoTime()));
    }

    private CompletableFuture<Void> send(HttpRequest request, long began) {
        return http.sendAsync(request, BodyHandlers.ofString())
                .handle((answer, failure) -> isAnswered(answer, began))
                .thenCompose(answered -> answered || isOver.getAsBoolean() || isLate(began)
                        ? CompletableFuture.<Void>completedFuture(null)
                        : sendAgain(request, began));
    }

    private static boolean isLate(long began) {
        return System.nanoTime() - began > ALL_ANSWERS.toNanos();
    }

    private CompletableFuture<Void> sendAgain(HttpRequest request, long began) {
        statistics.retried();
        Executor later = CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS, executor);
        return CompletableFuture.supplyAsync(() -> request, later).thenCompose(again -> send(again, began));
    }

    private boolean isAnswered(@Nullable HttpResponse<String> answer, long began) {
        if (answer == null || answer.statusCode() == CONFLICT || answer.statusCode() >= SERVER_ERROR) {
            return false;
        }
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.uri() + " answered " + answer.statusCode() + ": " + answer.body());
        }
        String instance = JSON.readTree(answer.body()).path("instance").asString();
        statistics.answered(instance, System.nanoTime() - began);
        return true;
    }

    private static HttpRequest request(URI target, String id) {
        return HttpRequest.newBuilder(target)
                .timeout(ONE_ANSWER)
                .header("X-Request-Id", id)
                .POST(BodyPublishers.noBody())
                .build();
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
