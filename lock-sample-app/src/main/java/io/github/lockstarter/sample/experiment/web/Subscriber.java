package io.github.lockstarter.sample.experiment.web;

import io.github.lockstarter.sample.experiment.run.RunEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Somebody who listens. States are sent as events of that name, everything else in batches, in the order in which it came. Who
 * falls far behind is cut off, and gets the state when it connects again.
 */
final class Subscriber {

    private static final int CAPACITY = 50_000;
    private static final int QUIET_ROUNDS = 100;

    private final SseEmitter emitter;
    private final BlockingQueue<Object> pending = new LinkedBlockingQueue<>(CAPACITY);
    private int quiet;

    Subscriber(SseEmitter emitter) {
        this.emitter = emitter;
    }

    void tell(Object event) {
        if (!pending.offer(event)) {
            emitter.complete();
        }
    }

    /** Begins to send; the future is to be cancelled when the stream has ended. */
    ScheduledFuture<?> sendEvery(long periodMs, ScheduledExecutorService sender) {
        return sender.scheduleWithFixedDelay(this::send, 0, periodMs, TimeUnit.MILLISECONDS);
    }

    void end() {
        emitter.complete();
    }

    /** Called by one thread at a time. */
    private void send() {
        List<Object> events = new ArrayList<>();
        pending.drainTo(events);
        try {
            List<RunEvent> batch = new ArrayList<>();
            for (Object event : events) {
                if (event instanceof RunEvent happened) {
                    batch.add(happened);
                } else {
                    sendBatch(batch);
                    send("state", event);
                }
            }
            sendBatch(batch);
            sendSignOfLife(events.isEmpty());
        } catch (IOException | IllegalStateException gone) {
            emitter.completeWithError(gone);
        }
    }

    /** An array, not a list: the elements of a list are written without their type. */
    private void sendBatch(List<RunEvent> batch) throws IOException {
        if (!batch.isEmpty()) {
            send("batch", batch.toArray(RunEvent[]::new));
            batch.clear();
        }
    }

    private void send(String name, Object data) throws IOException {
        emitter.send(SseEmitter.event().name(name).data(data, MediaType.APPLICATION_JSON));
    }

    /** Without one, a listener that has gone in silence would never be noticed. */
    private void sendSignOfLife(boolean isQuiet) throws IOException {
        quiet = isQuiet ? quiet + 1 : 0;
        if (quiet == QUIET_ROUNDS) {
            quiet = 0;
            emitter.send(SseEmitter.event().comment("still here"));
        }
    }
}
