package io.github.lockstarter.demo.experiment.stage;

import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Spreads requests over the instances, in turn. */
public interface ReverseProxy extends AutoCloseable {

    /**
     * Starts nginx where it is installed, else, and where it does not start, a proxy in this JVM.
     *
     * @param nginx where nginx is, if it is installed
     * @param ports where the instances listen
     * @param listener is told why nginx does not start
     * @return the running proxy; close it
     */
    static ReverseProxy start(Optional<Path> nginx, List<Integer> ports, StageListener listener) {
        try {
            if (nginx.isPresent()) {
                return NginxProxy.start(nginx.get(), ports);
            }
        } catch (UncheckedIOException | IllegalStateException failure) {
            listener.progressed(nginx.get() + " does not start (" + failure.getMessage() + "); going on without it");
        }
        return NettyProxy.start(ports);
    }

    /**
     * What it is.
     *
     * @return such as {@code nginx}
     */
    String name();

    /**
     * Where it listens.
     *
     * @return its address, without a path
     */
    URI uri();

    /** Ends it. */
    @Override
    void close();
}
