package io.github.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to a running sample as curl does. */
public final class SampleClient {

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;

    /** Talks to the sample on that port. */
    public SampleClient(int port) {
        this.url = "http://localhost:" + port;
    }

    /**
     * A response.
     *
     * @param contentType its media type
     * @param body the JSON
     */
    public record Answer(int status, String contentType, JsonNode body) {

        /** A text of the body. */
        public String text(String field) {
            return body.path(field).asString();
        }

        /** A number of the body. */
        public long number(String field) {
            return body.path(field).asLong();
        }
    }

    /** Reads. */
    public Answer get(String path) {
        return send(request(path).GET());
    }

    /** Reads a response that is not JSON. */
    public String text(String path) {
        return http.sendAsync(request(path).GET().build(), HttpResponse.BodyHandlers.ofString())
                .join()
                .body();
    }

    /** Posts nothing. */
    public Answer post(String path) {
        return send(request(path).POST(HttpRequest.BodyPublishers.noBody()));
    }

    /** Posts JSON. */
    public Answer post(String path, String json) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    /** Posts nothing, and does not wait for the answer. */
    public CompletableFuture<Answer> postAsync(String path) {
        return http.sendAsync(
                        request(path).POST(HttpRequest.BodyPublishers.noBody()).build(),
                        HttpResponse.BodyHandlers.ofString())
                .thenApply(SampleClient::answer);
    }

    /** Places an order and gives its number. */
    public long placeOrder() {
        return post("/orders", "{\"item\":\"lamp\",\"quantity\":2}").number("orderId");
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path));
    }

    private Answer send(HttpRequest.Builder request) {
        try {
            return answer(http.send(request.build(), HttpResponse.BodyHandlers.ofString()));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupt);
        }
    }

    private static Answer answer(HttpResponse<String> response) {
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                JSON.readTree(response.body()));
    }
}
