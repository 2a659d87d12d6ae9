package io.github.lockstarter.demo.experiment.run;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends the requests of a run, each on a connection of its own. One that is not answered, or refused (409,
 * 5xx), is repeated with the same id until it is answered or its time is up: so does any client that must know.
 */
final class LoadClient {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration ONE_ANSWER = Duration.ofSeconds(90);
    private static final Duration ALL_ANSWERS = Duration.ofMinutes(3);
    private static final Duration PAUSE = Duration.ofMillis(250);
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;

    private final HttpClient http;
    private final Executor executor;
    private final RequestStatistics statistics;

    /**
     * A client.
     *
     * @param executor where answers are handled
     * @param statistics is told of them
     */
    LoadClient(Executor executor, RequestStatistics statistics) {
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(executor)
                .build();
        this.executor = executor;
        this.statistics = statistics;
    }

    private record Attempt(HttpRequest request, long began) {

        boolean isOver() {
            return System.nanoTime() - began > ALL_ANSWERS.toNanos();
        }
    }

    /**
     * Sends them.
     *
     * @param target where to
     * @param name first part of the requests' ids
     * @param requests how many, and when
     * @return completes when each was answered or given up; fails when one was refused for good; completed by the
     *     caller, it stops what is under way
     */
    CompletableFuture<Void> fire(URI target, String name, Requests requests) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        requests.send(number -> send(new Attempt(request(target, name + "-" + number), System.nanoTime()), done))
                .whenComplete((all, failure) -> {
                    if (failure == null) {
                        done.complete(null);
                    } else {
                        done.completeExceptionally(failure);
                    }
                });
        return done;
    }

    private CompletableFuture<Void> send(Attempt attempt, CompletableFuture<Void> done) {
        return http.sendAsync(attempt.request(), BodyHandlers.ofString())
                .handle((answer, failure) -> isAnswered(attempt, answer))
                .thenCompose(answered -> answered || done.isDone() || attempt.isOver()
                        ? CompletableFuture.<Void>completedFuture(null)
                        : sendAgain(attempt, done));
    }

    private CompletableFuture<Void> sendAgain(Attempt attempt, CompletableFuture<Void> done) {
        statistics.retried();
        Executor later = CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS, executor);
        return CompletableFuture.supplyAsync(() -> attempt, later).thenCompose(again -> send(again, done));
    }

    private boolean isAnswered(Attempt attempt, @Nullable HttpResponse<String> answer) {
        if (answer == null || answer.statusCode() == CONFLICT || answer.statusCode() >= SERVER_ERROR) {
            return false;
        }
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.uri() + " answered " + answer.statusCode() + ": " + answer.body());
        }
        String instance = JSON.readTree(answer.body()).path("instance").asString();
        statistics.answered(instance, System.nanoTime() - attempt.began());
        return true;
    }

    private static HttpRequest request(URI target, String id) {
        return HttpRequest.newBuilder(target)
                .timeout(ONE_ANSWER)
                .header("X-Request-Id", id)
                .POST(BodyPublishers.noBody())
                .build();
    }
}
