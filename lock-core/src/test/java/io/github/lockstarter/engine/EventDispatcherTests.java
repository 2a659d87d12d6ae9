package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.LockThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventDispatcherTests {

    private final AtomicInteger ran = new AtomicInteger();
    private final EngineTimer timer = new TimerThread(EngineClock.SYSTEM);

    private final AtomicBoolean mayStartThreads = new AtomicBoolean(true);

    @AfterEach
    void closeTimer() {
        timer.close();
    }

    /** Has one thread for callbacks, one for completions, and none at all while {@link #mayStartThreads} is false. */
    private EventDispatcher dispatcher() {
        EngineEnvironment usual = EngineEnvironment.of(EngineClock.SYSTEM);
        return new EventDispatcher(
                List.of(),
                new EngineEnvironment(
                        usual.clock(),
                        usual.newTimer(),
                        () -> pool(1, new LinkedBlockingQueue<>()),
                        () -> pool(0, new SynchronousQueue<>()),
                        () -> pool(0, new SynchronousQueue<>()),
                        usual.identity(),
                        usual.jitter()),
                timer);
    }

    private ThreadPoolExecutor pool(int core, BlockingQueue<Runnable> queue) {
        return new ThreadPoolExecutor(core, 1, 1, TimeUnit.SECONDS, queue, work -> {
            if (!mayStartThreads.get()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return LockThreads.thread("test-pool", work);
        });
    }

    /** Callers are the watchdog and the event loop: a callback that blocks one of them would stop all locks. */
    @Test
    void runsNoTaskOnTheCallingThreadWhenThePoolIsFull() throws Exception {
        CountDownLatch all = new CountDownLatch(4);
        CountDownLatch free = new CountDownLatch(1);
        try (EventDispatcher events = dispatcher()) {
            for (Consumer<Runnable> way : List.<Consumer<Runnable>>of(events::callback, events::complete)) {
                way.accept(() -> pass(free));
                way.accept(() -> {
                    pass(free);
                    all.countDown();
                });
                way.accept(all::countDown);
            }
            assertThat(all.getCount()).isEqualTo(4);
            free.countDown();
            assertThat(all.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void runsTasksLaterWhenNoThreadCanBeStarted() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        mayStartThreads.set(false);
        try (EventDispatcher events = dispatcher()) {
            events.callback(both::countDown);
            events.complete(both::countDown);
            assertThat(both.getCount()).isEqualTo(2);

            mayStartThreads.set(true);

            assertThat(both.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A thread that reads from a socket counts as running, and may do so forever. */
    @Test
    void runsOtherTasksWhileOneReadsFromASocket() throws Exception {
        CountDownLatch inner = new CountDownLatch(63);
        CountDownLatch waited = new CountDownLatch(63);
        try (EventDispatcher events = new EventDispatcher(List.of(), EngineEnvironment.of(EngineClock.SYSTEM), timer);
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
            assertThat(waited.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
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
    void runsTasksOnTheCallingThreadOnceClosed() {
        EventDispatcher events = dispatcher();
        events.close();

        events.callback(ran::incrementAndGet);
        events.complete(ran::incrementAndGet);

        assertThat(ran).hasValue(2);
    }
}
