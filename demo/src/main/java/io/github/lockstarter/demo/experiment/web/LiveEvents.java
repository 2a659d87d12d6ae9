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
 * Passes on what happens to everybody who listens: each has a queue and a thread of its own. Neither a thread that has
 * something to tell nor another listener is held up by one who does not read.
 */
@Component
class LiveEvents implements ExperimentListener, GalleryListener {

    static final int MOST_LISTENERS = 32;

    private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();

    /**
     * A step of a set-up.
     *
     * @param text one line
     */
    record Progress(String text) {}

    /**
     * Adds a listener, which receives the states first.
     *
     * @param experiment whose state
     * @param gallery whose state, too
     * @param emitter its stream, which has no end of its own
     * @throws ResponseStatusException when there are too many
     */
    synchronized void subscribe(Experiment experiment, Gallery gallery, SseEmitter emitter) {
        if (subscribers.size() == MOST_LISTENERS) {
            throw new ResponseStatusException(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    MOST_LISTENERS + " pages watch the experiment already. Close one of them");
        }
        Subscriber subscriber = new Subscriber(emitter);
        emitter.onCompletion(subscriber::end);
        experiment.greet(state -> {
            subscriber.tell(state);
            gallery.greet(galleryState -> {
                subscriber.tell(galleryState);
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
        subscribers.forEach(subscriber -> subscriber.tell(new Progress(text)));
    }

    @Override
    public void stateChanged(ExperimentState state) {
        subscribers.forEach(subscriber -> subscriber.tell(state));
    }

    @Override
    public void galleryChanged(GalleryState state) {
        subscribers.forEach(subscriber -> subscriber.tell(state));
    }

    @Override
    public void happened(RunEvent event) {
        subscribers.forEach(subscriber -> subscriber.tell(event));
    }

    /** An open stream is a request that would hold up the end of the web server. */
    @EventListener(ContextClosedEvent.class)
    void endStreams() {
        subscribers.forEach(Subscriber::end);
    }
}
