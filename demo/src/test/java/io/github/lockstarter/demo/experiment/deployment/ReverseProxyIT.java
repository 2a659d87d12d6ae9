package io.github.lockstarter.demo.experiment.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReverseProxyIT {

    private final HttpClient http = HttpClient.newHttpClient();

    private HttpServer first;
    private HttpServer second;
    private ReverseProxy proxy;

    @BeforeEach
    void start() throws IOException {
        first = upstream("first");
        second = upstream("second");
        proxy = new ReverseProxy(
                List.of(first.getAddress().getPort(), second.getAddress().getPort()));
    }

    @AfterEach
    void end() {
        proxy.close();
        first.stop(0);
        second.stop(0);
    }

    @Test
    void forwardsTheRequestAndTheResponse() throws Exception {
        HttpResponse<String> answer = post("/v3/pview?page=home", "payload");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.headers().firstValue("X-Answer")).contains("yes");
        assertThat(answer.body()).isEqualTo("first: POST /v3/pview?page=home 17 payload");
    }

    @Test
    void usesTheInstancesInTurn() throws Exception {
        assertThat(post("/", "").body()).startsWith("first");
        assertThat(post("/", "").body()).startsWith("second");
        assertThat(post("/", "").body()).startsWith("first");
    }

    @Test
    void respondsWithBadGatewayWhenAnInstanceIsGone() throws Exception {
        first.stop(0);

        assertThat(post("/", "").statusCode()).isEqualTo(502);
        assertThat(post("/", "").statusCode()).isEqualTo(202);
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        return http.send(
                HttpRequest.newBuilder(proxy.uri().resolve(path))
                        .header("X-Request-Id", "17")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static HttpServer upstream(String name) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(name, exchange));
        server.start();
        return server;
    }

    private static void answer(String name, HttpExchange exchange) throws IOException {
        String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        byte[] answer = (name + ": " + exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                        + exchange.getRequestHeaders().getFirst("X-Request-Id") + " " + request)
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("X-Answer", "yes");
        exchange.sendResponseHeaders(202, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }
}
