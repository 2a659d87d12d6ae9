package io.github.lockstarter.demo.experiment.deployment;

import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.resources.ConnectionProvider;

/** Forwards requests to the instances in turn. Answers 502 if an instance does not answer. */
final class ReverseProxy implements AutoCloseable {

    private static final int CONNECTIONS = 10_000;
    private static final int BACKLOG = 4096;
    private static final Duration END = Duration.ofSeconds(5);

    private final List<Integer> ports;
    private final ConnectionProvider connections = ConnectionProvider.builder("proxy")
            .maxConnections(CONNECTIONS)
            .pendingAcquireMaxCount(CONNECTIONS)
            .build();
    private final HttpClient client = HttpClient.create(connections).disableRetry(true);
    private final AtomicInteger turn = new AtomicInteger();
    private final DisposableServer server;

    ReverseProxy(List<Integer> ports) {
        this.ports = List.copyOf(ports);
        this.server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .handle(this::forward)
                .bindNow();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.port());
    }

    @Override
    public void close() {
        server.disposeNow(END);
        connections.disposeLater().block(END);
    }

    private Publisher<Void> forward(HttpServerRequest request, HttpServerResponse response) {
        int port = ports.get(Math.floorMod(turn.getAndIncrement(), ports.size()));
        return client.headers(headers -> headers.set(request.requestHeaders()).remove(HttpHeaderNames.HOST))
                .request(request.method())
                .uri("http://127.0.0.1:" + port + request.uri())
                .send(request.receive().retain())
                .response((answer, body) -> {
                    response.status(answer.status()).headers(answer.responseHeaders());
                    return response.send(body.retain());
                })
                .onErrorResume(failure -> response.hasSentHeaders()
                        ? Mono.error(failure)
                        : response.status(HttpResponseStatus.BAD_GATEWAY).send());
    }
}
