package io.github.lockstarter.demo.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Controls the experiment over HTTP, as the page does: one deployment, several runs on it, each disturbed in another
 * way. The topology is {@code sentinel}; {@code -Ddemo.it.topology=cluster} takes another.
 */
@SpringBootTest(
        classes = DemoApp.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "spring.data.redis.port=1")
@Tag("full")
class ExperimentHttpIT {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http = HttpClient.newHttpClient();
    private final String topology = System.getProperty("demo.it.topology", "sentinel");

    @LocalServerPort
    private int port;

    @Test
    void countsExactlyDespiteFaultsAndLeavesNothingBehind() throws Exception {
        List<ProcessHandle> before = ProcessHandle.current().descendants().toList();
        assertThat(send("PUT", "", "{\"instances\":2,\"topology\":\"" + topology + "\"}")
                        .statusCode())
                .isEqualTo(202);
        awaitPhase("ready");
        assertThat(started(before)).hasSizeGreaterThan(10);

        assertThat(run("{\"variant\":\"v1\",\"requests\":60}").path("lost").asInt())
                .isPositive();
        CountDownLatch batch = awaitBatch();
        assertExact(
                run("{\"variant\":\"v3\",\"requests\":60,\"fault\":\"kill-holder\"}"), "was killed in the critical");
        assertThat(batch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        if (!topology.equals("standalone")) {
            assertExact(run("{\"variant\":\"v3\",\"requests\":60,\"fault\":\"fail-over\"}"), "was promoted");
            assertExact(
                    run("{\"variant\":\"v3\",\"requests\":60,\"fault\":\"fail-over-twice\"}"),
                    "had the lock at the first kill");
        }
        if (RedisServer.canSetClock()) {
            assertExact(run("{\"variant\":\"v4\",\"requests\":60,\"fault\":\"move-clock\"}"), "was set 31 s ahead");
        }
        assertRefused("{\"variant\":\"v3\",\"requests\":60,\"fault\":\"move-clock\"}", "Run v4");
        assertRefused("{\"variant\":\"v4\",\"requests\":60,\"fault\":\"fail-over-twice\"}", "have no replicas");
        restartRedisTwiceAtATime();

        assertThat(send("DELETE", "", "").statusCode()).isEqualTo(202);
        awaitPhase("absent");
        assertThat(started(before)).isEmpty();
    }

    private void restartRedisTwiceAtATime() throws Exception {
        assertThat(send("POST", "/runs", "{\"variant\":\"v3\",\"requests\":200}")
                        .statusCode())
                .isEqualTo(202);

        List<Integer> answers = Stream.of(1, 2)
                .map(i -> http.sendAsync(request("POST", "/faults/restart-redis", ""), BodyHandlers.ofString()))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .map(HttpResponse::statusCode)
                .toList();

        assertThat(answers).containsExactlyInAnyOrder(200, 409);
        assertExact(awaitResult(), "started again");
    }

    private static void assertExact(JsonNode result, String fault) {
        assertThat(result.path("exact").asBoolean()).as(result.toString()).isTrue();
        assertThat(result.path("faults").toString()).contains(fault);
        assertThat(result.path("missed")).isEmpty();
    }

    private void assertRefused(String run, String reason) throws Exception {
        JsonNode result = run(run);
        assertThat(result.path("exact").asBoolean()).as(result.toString()).isTrue();
        assertThat(result.path("faults")).isEmpty();
        assertThat(result.path("missed").toString()).contains(reason);
    }

    private JsonNode run(String body) throws Exception {
        awaitInstances();
        HttpResponse<String> answer = send("POST", "/runs", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return awaitResult();
    }

    private JsonNode awaitResult() {
        await().atMost(PATIENCE).until(() -> state().path("run").isNull());
        JsonNode state = state();
        assertThat(state.path("failure").isNull()).as(state.toString()).isTrue();
        JsonNode results = state.path("results");
        return results.get(results.size() - 1);
    }

    private void awaitPhase(String phase) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> !List.of("starting", "stopping")
                .contains(state().path("phase").asString()));
        assertThat(state().path("phase").asString()).as(state().toString()).isEqualTo(phase);
    }

    private void awaitInstances() {
        await().atMost(PATIENCE).until(() -> state().path("instances")
                .valueStream()
                .allMatch(instance -> instance.path("state").asString().equals("up")));
    }

    /** Opens after a batch of run events. */
    private CountDownLatch awaitBatch() {
        CountDownLatch batch = new CountDownLatch(1);
        http.sendAsync(request("GET", "/events", ""), BodyHandlers.fromLineSubscriber(new Lines(batch)));
        return batch;
    }

    private JsonNode state() {
        try {
            return JSON.readTree(send("GET", "", "").body());
        } catch (IOException failure) {
            throw new AssertionError(failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupt);
        }
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return http.send(request(method, path, body), BodyHandlers.ofString());
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/experiment" + path))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body))
                .build();
    }

    private static List<ProcessHandle> started(List<ProcessHandle> before) {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> !before.contains(process))
                .toList();
    }

    private record Lines(CountDownLatch batch) implements Flow.Subscriber<String> {

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            if (line.equals("event:batch")) {
                batch.countDown();
            }
        }

        @Override
        public void onError(Throwable ended) {
            // The stream has no end of its own.
        }

        @Override
        public void onComplete() {
            // Nothing to do.
        }
    }
}
