package io.github.lockstarter.sample.redis;

import io.github.lockstarter.kit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.stereotype.Component;

/**
 * Starts Redis if {@code spring.data.redis.*} names a single server that is not running, and stops it with the
 * application. Ignores sentinels, clusters and static replicas.
 */
@Component
class RedisIfAbsent implements BeanPostProcessor, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(RedisIfAbsent.class);
    private static final int CONNECT_MS = 500;

    private @Nullable RedisServer server;

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataRedisConnectionDetails details
                        && details.getSentinel() == null
                        && details.getCluster() == null
                        && details.getMasterReplica() == null
                        && details.getStandalone() != null
                        && !isListening(details.getStandalone())
                ? detailsOf(start(details.getStandalone()))
                : bean;
    }

    private RedisServer start(Standalone absent) {
        String nobody = "Nothing listens on " + absent.getHost() + ":" + absent.getPort();
        try {
            RedisServer started = RedisServer.start();
            server = started;
            log.info("{}: started a Redis at {}, which ends with this application", nobody, started.address());
            return started;
        } catch (IllegalStateException | UncheckedIOException failure) {
            throw new IllegalStateException(
                    nobody + ", and none could be started here: " + failure.getMessage()
                            + ". Start a Redis, and name it with --spring.data.redis.host and --spring.data.redis.port",
                    failure);
        }
    }

    private static DataRedisConnectionDetails detailsOf(RedisServer started) {
        return new DataRedisConnectionDetails() {

            @Override
            public Standalone getStandalone() {
                return Standalone.of(started.host(), started.port());
            }
        };
    }

    private static boolean isListening(Standalone address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), CONNECT_MS);
            return true;
        } catch (IOException nobodyThere) {
            return false;
        }
    }

    @Nullable
    RedisServer server() {
        return server;
    }

    @Override
    public void destroy() {
        if (server != null) {
            server.close();
        }
    }
}
