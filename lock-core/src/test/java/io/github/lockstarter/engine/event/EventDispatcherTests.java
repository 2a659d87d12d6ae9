package io.github.lockstarter.engine.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventDispatcherTests {

    private final AtomicInteger ran = new AtomicInteger();

    @Test
    void runsACallbackOnThisThreadWhereNoOtherCanBeStarted() {
        EventDispatcher.run(
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                ran::incrementAndGet);

        assertThat(ran).hasValue(1);
    }

    @Test
    void runsACallbackOnThisThreadWhereTheClientIsClosed() {
        EventDispatcher.run(
                task -> {
                    throw new RejectedExecutionException("closed");
                },
                ran::incrementAndGet);

        assertThat(ran).hasValue(1);
    }
}
