package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.engine.settings.EngineClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventDispatcherTests {

    private final AtomicInteger ran = new AtomicInteger();

    @Test
    void runsACallbackOnTheCallingThreadWhenNoThreadCanBeStarted() {
        EventDispatcher.run(
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                ran::incrementAndGet);

        assertThat(ran).hasValue(1);
    }

    /** A thread that reads from a socket counts as running, and may do so forever. */
    @Test
    void runsOtherTasksWhileOneReadsFromASocket() throws Exception {
        CountDownLatch inner = new CountDownLatch(63);
        CountDownLatch waited = new CountDownLatch(63);
        try (EventDispatcher events = new EventDispatcher(List.of(), EngineEnvironment.of(EngineClock.SYSTEM));
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(silent.getInetAddress(), silent.getLocalPort())) {
            events.complete(() -> read(client));
            for (int i = 0; i < 63; i++) {
                events.complete(() -> {
                    events.complete(inner::countDown);
                    pass(inner);
                    waited.countDown();
                });
            }
            assertThat(waited.await(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void read(Socket socket) {
        try {
            assertThat(socket.getInputStream().read()).isNegative();
        } catch (IOException closed) {
            // The end of the test.
        }
    }

    private static void pass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void runsACallbackOnTheCallingThreadOnceClosed() {
        EventDispatcher.run(
                task -> {
                    throw new RejectedExecutionException("closed");
                },
                ran::incrementAndGet);

        assertThat(ran).hasValue(1);
    }
}
