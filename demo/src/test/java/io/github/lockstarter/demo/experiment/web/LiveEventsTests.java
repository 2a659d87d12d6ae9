package io.github.lockstarter.demo.experiment.web;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.gallery.Gallery;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

class LiveEventsTests {

    private final LiveEvents events = new LiveEvents();
    private final Experiment experiment = new Experiment(events);
    private final Gallery gallery = new Gallery(events);
    private final CountDownLatch stalled = new CountDownLatch(1);

    @AfterEach
    void end() {
        stalled.countDown();
        events.endStreams();
    }

    @Test
    void isNotBlockedByListenersThatDoNotRead() {
        for (int i = 0; i < 10; i++) {
            events.subscribe(experiment, gallery, new StalledEmitter());
        }
        CountingEmitter listener = new CountingEmitter();
        events.subscribe(experiment, gallery, listener);

        await().until(() -> listener.sent.get() == 2);
        events.happened(new RunEvent.Waiting("A", 0, 1));

        await().until(() -> listener.sent.get() == 3);
    }

    @Test
    void endsAStreamThatFailsUnexpectedly() {
        AtomicReference<Throwable> reason = new AtomicReference<>();
        events.subscribe(experiment, gallery, new SseEmitter() {
            @Override
            public void send(SseEventBuilder event) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void completeWithError(Throwable failure) {
                reason.set(failure);
            }
        });

        await().until(() -> reason.get() instanceof UnsupportedOperationException);
    }

    @Test
    void refusesMoreListenersThanThreads() {
        for (int i = 0; i < LiveEvents.MOST_LISTENERS; i++) {
            events.subscribe(experiment, gallery, new StalledEmitter());
        }

        assertThatThrownBy(() -> events.subscribe(experiment, gallery, new StalledEmitter()))
                .isInstanceOf(ResponseStatusException.class)
                .hasMessageContaining("Close one of them");
    }

    private static class CountingEmitter extends SseEmitter {

        private final AtomicInteger sent = new AtomicInteger();

        @Override
        public void send(SseEventBuilder event) {
            sent.incrementAndGet();
        }
    }

    private final class StalledEmitter extends SseEmitter {

        @Override
        public void send(SseEventBuilder event) {
            try {
                stalled.await();
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
