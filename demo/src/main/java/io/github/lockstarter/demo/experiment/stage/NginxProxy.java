package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.process.SupervisedProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The reverse proxy that is installed on this machine. */
final class NginxProxy implements ReverseProxy {

    private static final String CONFIGURATION = "nginx.conf";

    private final SupervisedProcess process;
    private final int port;

    private NginxProxy(SupervisedProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Where it is: on the path, or where distributions put it, which is not on every user's path. */
    static Optional<Path> find() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Arrays.stream(path.split(File.pathSeparator)), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .filter(directory -> !directory.isBlank())
                .map(directory -> Path.of(directory, "nginx"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static NginxProxy start(Path nginx, List<Integer> ports) {
        int port = Loopback.freePort();
        try {
            SupervisedProcess process = SupervisedProcess.prepare(
                    "nginx",
                    directory -> List.of(
                            nginx.toString(),
                            "-p",
                            directory.toString(),
                            "-e",
                            directory.resolve("error.log").toString(),
                            "-c",
                            directory.resolve(CONFIGURATION).toString()),
                    line -> {});
            NginxProxy proxy = new NginxProxy(process, port);
            try {
                Files.writeString(process.directory().resolve(CONFIGURATION), configuration(port, ports));
                process.start();
                Readiness.await("nginx listens", () -> !process.isRunning() || Loopback.isListening(port));
                if (!process.isRunning()) {
                    throw new IllegalStateException("it has ended: "
                            + Files.readString(process.directory().resolve("errors.log"))
                                    .strip());
                }
            } catch (IOException | RuntimeException failure) {
                proxy.close();
                throw failure;
            }
            return proxy;
        } catch (IOException failure) {
            throw new UncheckedIOException("nginx could not be started", failure);
        }
    }

    @Override
    public String name() {
        return "nginx";
    }

    @Override
    public URI uri() {
        return URI.create("http://" + Loopback.HOST + ":" + port);
    }

    @Override
    public void close() {
        process.close();
    }

    /**
     * In the foreground, with all its files in its own directory. A request is passed on to the next instance only if
     * it never reached the first one: whether others may be repeated is for the client to know.
     */
    private static String configuration(int port, List<Integer> ports) {
        String servers = ports.stream()
                .map(instance -> "server %s:%d max_fails=1 fail_timeout=1s;".formatted(Loopback.HOST, instance))
                .collect(Collectors.joining("\n            "));
        return """
                daemon off;
                worker_processes 1;
                pid nginx.pid;
                error_log error.log;
                events { worker_connections 16384; }
                http {
                    access_log off;
                    client_body_temp_path body;
                    proxy_temp_path proxy;
                    fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi;
                    scgi_temp_path scgi;
                    upstream instances {
                        %s
                    }
                    server {
                        listen %s:%d backlog=4096;
                        location / {
                            proxy_pass http://instances;
                            proxy_read_timeout 120s;
                            proxy_next_upstream error timeout;
                        }
                    }
                }
                """.formatted(servers, Loopback.HOST, port);
    }
}
