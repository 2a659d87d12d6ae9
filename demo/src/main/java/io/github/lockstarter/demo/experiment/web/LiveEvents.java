package io.github.lockstarter.demo.experiment.web;

import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.experiment.ExperimentListener;
import io.github.lockstarter.demo.experiment.ExperimentState;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.gallery.Gallery;
import io.github.lockstarter.demo.gallery.GalleryListener;
import io.github.lockstarter.demo.gallery.GalleryState;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Forwards events to all subscribers. Each has its own queue and thread, so slow ones block neither the source nor
 * each other.
 */
@Component
class LiveEvents implements ExperimentListener, GalleryListener {

    static final int MOST_LISTENERS = 32;

    private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();

    /** Progress of a set-up, in one line. */
    record Progress(String text) {}

    /**
     * Adds a subscriber, which first receives the states.
     *
     * @param emitter its stream, without a timeout
     * @throws ResponseStatusException if there are too many
     */
    synchronized void subscribe(Experiment experiment, Gallery gallery, SseEmitter emitter) {
        if (subscribers.size() == MOST_LISTENERS) {
            throw new ResponseStatusException(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    MOST_LISTENERS + " pages watch the experiment already. Close one of them");
        }
        Subscriber subscriber = new Subscriber(emitter);
        emitter.onCompletion(subscriber::end);
        experiment.sendState(state -> {
            subscriber.enqueue(state);
            gallery.sendState(galleryState -> {
                subscriber.enqueue(galleryState);
                subscribers.add(subscriber);
            });
        });
        Runnable sending = () -> {
            subscriber.run();
            subscribers.remove(subscriber);
        };
        Thread sender = new Thread(sending, "live-events");
        sender.setDaemon(true);
        sender.start();
    }

    @Override
    public void progressed(String text) {
        subscribers.forEach(subscriber -> subscriber.enqueue(new Progress(text)));
    }

    @Override
    public void stateChanged(ExperimentState state) {
        subscribers.forEach(subscriber -> subscriber.enqueue(state));
    }

    @Override
    public void galleryChanged(GalleryState state) {
        subscribers.forEach(subscriber -> subscriber.enqueue(state));
    }

    @Override
    public void happened(RunEvent event) {
        subscribers.forEach(subscriber -> subscriber.enqueue(event));
    }

    /** An open stream would delay the shutdown of the web server. */
    @EventListener(ContextClosedEvent.class)
    void endStreams() {
        subscribers.forEach(Subscriber::end);
    }
}
