package io.github.lockstarter.demo.experiment.web;

import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.gallery.GalleryState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * A subscriber of {@code state}, {@code gallery} and {@code progress} events. Run events are sent in {@code batch}es,
 * at most one per 100 ms, in order. Subscribers that fall far behind are disconnected; browsers reconnect
 * automatically and receive the state again.
 *
 * <p>One thread calls {@link #run}, which blocks while the client does not read. All others only access {@code
 * pending}.
 */
final class Subscriber implements Runnable {

    static final int CAPACITY = 50_000;
    private static final long PERIOD_MS = 100;
    private static final long SIGN_OF_LIFE_MS = 10_000;

    /** End of the stream. */
    private static final Object END = new Object();

    private final SseEmitter emitter;
    private final BlockingQueue<Object> pending = new LinkedBlockingQueue<>(CAPACITY);

    Subscriber(SseEmitter emitter) {
        this.emitter = emitter;
    }

    void enqueue(Object event) {
        if (!pending.offer(event)) {
            end();
        }
    }

    /** Discards pending events and ends the stream. Never blocks. */
    void end() {
        pending.clear();
        pending.offer(END);
    }

    @Override
    public void run() {
        try {
            while (sendNext()) {
                TimeUnit.MILLISECONDS.sleep(PERIOD_MS);
            }
            emitter.complete();
        } catch (InterruptedException applicationEnds) {
            Thread.currentThread().interrupt();
            emitter.complete();
        } catch (IOException | RuntimeException gone) {
            emitter.completeWithError(gone);
        }
    }

    /** Returns false at the end. Comments detect clients that disconnected silently. */
    private boolean sendNext() throws IOException, InterruptedException {
        Object first = pending.poll(SIGN_OF_LIFE_MS, TimeUnit.MILLISECONDS);
        if (first == null) {
            emitter.send(SseEmitter.event().comment("still here"));
            return true;
        }
        List<Object> events = new ArrayList<>(List.of(first));
        pending.drainTo(events);
        if (events.contains(END)) {
            return false;
        }
        send(events);
        return true;
    }

    private void send(List<Object> events) throws IOException {
        List<RunEvent> batch = new ArrayList<>();
        for (Object event : events) {
            if (event instanceof RunEvent happened) {
                batch.add(happened);
            } else {
                sendBatch(batch);
                send(nameOf(event), event);
            }
        }
        sendBatch(batch);
    }

    private static String nameOf(Object event) {
        if (event instanceof GalleryState) {
            return "gallery";
        }
        return event instanceof LiveEvents.Progress ? "progress" : "state";
    }

    /** An array, since elements of a list are serialized without their type. */
    private void sendBatch(List<RunEvent> batch) throws IOException {
        if (!batch.isEmpty()) {
            send("batch", batch.toArray(RunEvent[]::new));
            batch.clear();
        }
    }

    private void send(String name, Object data) throws IOException {
        emitter.send(SseEmitter.event().name(name).data(data, MediaType.APPLICATION_JSON));
    }
}
