package io.github.lockstarter.demo.experiment.instance;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints the events of this instance to standard output, a pipe to its parent process. Callers never block: one thread
 * prints, and events are dropped if it falls behind.
 */
@Component
@Profile("instance")
class EventPipe implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(EventPipe.class);
    private static final int CAPACITY = 100_000;

    private final ObjectWriter writer = JsonMapper.builder().build().writerFor(InstanceEvent.class);
    private final PrintStream output =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final ExecutorService printer = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(CAPACITY),
            new DefaultThreadFactory("event-pipe", true),
            (event, full) -> {
                if (!full.isShutdown()) {
                    log.warn("The process that started this instance does not read its events; dropped one");
                }
            });
    private final Environment environment;

    EventPipe(Environment environment) {
        this.environment = environment;
    }

    void send(InstanceEvent event) {
        printer.execute(() -> output.println(writer.writeValueAsString(event)));
    }

    /** Reports the port as the first event. */
    @EventListener(ApplicationReadyEvent.class)
    void sendReady() {
        int port = environment.getRequiredProperty("local.server.port", Integer.class);
        send(new InstanceEvent.Ready(System.nanoTime(), "", port));
    }

    @Override
    public void destroy() {
        printer.shutdownNow();
    }
}
