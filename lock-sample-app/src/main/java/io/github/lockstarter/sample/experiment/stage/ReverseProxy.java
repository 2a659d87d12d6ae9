package io.github.lockstarter.sample.experiment.stage;

import java.net.URI;
import java.util.List;

/** Spreads requests over the instances, in turn. */
public interface ReverseProxy extends AutoCloseable {

    /**
     * Starts nginx where it is installed, else a proxy in this JVM.
     *
     * @param ports where the instances listen
     * @return the running proxy; close it
     */
    static ReverseProxy start(List<Integer> ports) {
        return NginxProxy.find()
                .<ReverseProxy>map(nginx -> NginxProxy.start(nginx, ports))
                .orElseGet(() -> NettyProxy.start(ports));
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
