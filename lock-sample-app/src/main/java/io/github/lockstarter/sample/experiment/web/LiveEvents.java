package io.github.lockstarter.sample.experiment.web;

import io.github.lockstarter.sample.experiment.Experiment;
import io.github.lockstarter.sample.experiment.ExperimentListener;
import io.github.lockstarter.sample.experiment.ExperimentState;
import io.github.lockstarter.sample.experiment.run.RunEvent;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Passes on what happens to everybody who listens: each has a queue of its own, which is sent every 100 ms. Threads that have
 * something to tell are never held up by a slow listener.
 */
@Component
class LiveEvents implements ExperimentListener, DisposableBean {

    private static final long PERIOD_MS = 100;
    private static final int THREADS = 4;

    private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService sender = Executors.newScheduledThreadPool(THREADS, LiveEvents::daemon);

    /**
     * Adds a listener, which is told the state first.
     *
     * @param experiment whose state
     * @return its stream, which has no end of its own
     */
    SseEmitter subscribe(Experiment experiment) {
        SseEmitter emitter = new SseEmitter(0L);
        Subscriber subscriber = new Subscriber(emitter);
        experiment.greet(state -> {
            subscriber.tell(state);
            subscribers.add(subscriber);
        });
        ScheduledFuture<?> sending = subscriber.sendEvery(PERIOD_MS, sender);
        emitter.onCompletion(() -> {
            sending.cancel(false);
            subscribers.remove(subscriber);
        });
        return emitter;
    }

    @Override
    public void stateChanged(ExperimentState state) {
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

    @Override
    public void destroy() {
        sender.shutdownNow();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "live-events");
        thread.setDaemon(true);
        return thread;
    }
}
