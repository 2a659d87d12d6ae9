package io.github.lockstarter.demo.experiment.instance;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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
 * Prints the events of this instance to the standard output of the process, which is a pipe to the process that started
 * it. Threads that have something to tell are never held up: one thread prints, and when it cannot keep up, events are
 * dropped.
 */
@Component
@Profile("instance")
class EventPipe implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(EventPipe.class);
    private static final int CAPACITY = 100_000;

    private final BlockingQueue<InstanceEvent> events = new LinkedBlockingQueue<>(CAPACITY);
    private final ObjectWriter writer = JsonMapper.builder().build().writerFor(InstanceEvent.class);
    private final Thread printer = new Thread(this::print, "event-pipe");
    private final Environment environment;

    EventPipe(Environment environment) {
        this.environment = environment;
        printer.setDaemon(true);
        printer.start();
    }

    void send(InstanceEvent event) {
        if (!events.offer(event)) {
            log.warn("Nobody reads what this instance prints; dropped {}", event);
        }
    }

    /** The first event: where this instance answers requests. */
    @EventListener(ApplicationReadyEvent.class)
    void sendReady() {
        int port = environment.getRequiredProperty("local.server.port", Integer.class);
        send(new InstanceEvent.Ready(System.nanoTime(), port));
    }

    @Override
    public void destroy() {
        printer.interrupt();
    }

    private void print() {
        try (OutputStream output = new FileOutputStream(FileDescriptor.out)) {
            List<InstanceEvent> batch = new ArrayList<>();
            while (true) {
                batch.add(events.take());
                events.drainTo(batch);
                output.write(lines(batch));
                batch.clear();
            }
        } catch (InterruptedException | IOException over) {
            // The instance ends, or the one who has started it is gone: then this process is ended, too.
        }
    }

    private byte[] lines(List<InstanceEvent> batch) {
        StringBuilder lines = new StringBuilder();
        batch.forEach(event -> lines.append(writer.writeValueAsString(event)).append('\n'));
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }
}
