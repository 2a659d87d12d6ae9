package io.github.lockstarter.demo.experiment.web;

import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.gallery.GalleryState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Somebody who listens. States are sent as events of that name, those of the gallery as {@code gallery}, steps of
 * a set-up as {@code progress}, everything else in batches, at most one in 100 ms, in the order in which it came. Who
 * falls far behind is cut off, and gets the state when it connects again, as browsers do by themselves.
 *
 * <p>{@link #run} is for one thread, which a listener that does not read holds up. All others only put into
 * {@code pending}, and set {@code over}.
 */
final class Subscriber implements Runnable {

    static final int CAPACITY = 50_000;
    private static final long PERIOD_MS = 100;
    private static final long LOOK_MS = 500;
    private static final int QUIET_LOOKS = 20;

    private final SseEmitter emitter;
    private final BlockingQueue<Object> pending = new LinkedBlockingQueue<>(CAPACITY);
    private final AtomicBoolean over = new AtomicBoolean();

    Subscriber(SseEmitter emitter) {
        this.emitter = emitter;
    }

    /** Returns at once. */
    void tell(Object event) {
        if (!over.get() && !pending.offer(event)) {
            end();
        }
    }

    /** Nothing more is sent. Returns at once. */
    void end() {
        over.set(true);
    }

    /** Sends until the end. */
    @Override
    public void run() {
        try {
            int quiet = 0;
            while (!over.get()) {
                quiet = sendNext() ? 0 : quiet + 1;
                if (quiet == QUIET_LOOKS) {
                    quiet = 0;
                    sendSignOfLife();
                }
            }
            emitter.complete();
        } catch (InterruptedException applicationEnds) {
            Thread.currentThread().interrupt();
            emitter.complete();
        } catch (IOException | RuntimeException gone) {
            emitter.completeWithError(gone);
        }
    }

    /** Says whether there was something to send. */
    private boolean sendNext() throws IOException, InterruptedException {
        Object first = pending.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (first == null) {
            return false;
        }
        List<Object> events = new ArrayList<>();
        events.add(first);
        pending.drainTo(events);
        send(events);
        TimeUnit.MILLISECONDS.sleep(PERIOD_MS);
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
    private void sendSignOfLife() throws IOException {
        emitter.send(SseEmitter.event().comment("still here"));
    }
}
