package io.github.lockstarter.observe;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.context.ApplicationEventPublisher;

/** The log and the listener beans in their order, with a thread for each that may block. */
public final class LockListeners implements AutoCloseable {

    private final List<LockListener> all;

    /**
     * Creates them with their threads.
     *
     * @param slowHolds whether to warn of them
     * @param beans listeners of the application, in their order
     */
    public LockListeners(boolean slowHolds, Stream<LockListener> beans) {
        Stream<LockListener> logs =
                slowHolds ? Stream.of(new LockLog(), new SlowHoldWarnings()) : Stream.of(new LockLog());
        this.all = Stream.concat(logs, beans).map(LockListeners::isolated).toList();
    }

    /**
     * Creates a listener that publishes losses, waits without a grant, and store events as Spring events.
     *
     * @param events receives the events
     * @return the listener; {@link #close} closes it
     */
    public static LockListener publisher(ApplicationEventPublisher events) {
        return new LockEventPublisher(events);
    }

    private static LockListener isolated(LockListener listener) {
        return listener.returnsAtOnce() ? listener : new Isolated(listener);
    }

    /** {@return the listeners of the engines} */
    public List<LockListener> all() {
        return all;
    }

    /** {@return the number of dropped events by listener class} */
    Map<String, LongSupplier> dropped() {
        return queued().collect(Collectors.toMap(
                QueuedListener::listener,
                listener -> listener::dropped,
                (one, other) -> () -> one.getAsLong() + other.getAsLong()));
    }

    private Stream<QueuedListener> queued() {
        return all.stream().filter(QueuedListener.class::isInstance).map(QueuedListener.class::cast);
    }

    /** Call after closing the engine, so that listeners receive its last events. */
    @Override
    public void close() {
        queued().forEach(QueuedListener::close);
    }

    static final class Isolated extends QueuedListener {

        private final LockListener listener;

        Isolated(LockListener listener) {
            super(listener.getClass());
            this.listener = listener;
        }

        @Override
        public void onEvent(LockEvent event) {
            add(event, () -> listener.onEvent(event));
        }

        @Override
        public void onStoreEvent(StoreEvent event) {
            add(event, () -> listener.onStoreEvent(event));
        }
    }

    /**
     * Publishes losses, waits without a grant, and store events as payloads of Spring events. Filters on the calling
     * thread, so other events do not fill the queue.
     */
    static final class LockEventPublisher extends QueuedListener {

        private final ApplicationEventPublisher events;

        LockEventPublisher(ApplicationEventPublisher events) {
            super(LockEventPublisher.class);
            this.events = events;
        }

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Lost || isFailedWait(event)) {
                add(event, () -> events.publishEvent(event));
            }
        }

        /** Without a wait, a held lock is a normal result. */
        private static boolean isFailedWait(LockEvent event) {
            return event instanceof LockEvent.NotAcquired refused
                    && refused.queued()
                    && refused.refusal() == Refusal.CONTENDED;
        }

        @Override
        public void onStoreEvent(StoreEvent event) {
            add(event, () -> events.publishEvent(event));
        }
    }

    /**
     * Warns of each hold that exceeds {@code warn-after}, with its thread's stack unless it was acquired
     * asynchronously. The listener's thread reads the stack, not the timer's.
     */
    private static final class SlowHoldWarnings extends QueuedListener {

        private static final int MOST_FRAMES = 40;

        SlowHoldWarnings() {
            super(SlowHoldWarnings.class);
        }

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.HeldLong heldLong) {
                add(heldLong, () -> warn(heldLong));
            }
        }

        private static void warn(LockEvent.HeldLong event) {
            String activity = event.thread()
                    .map(SlowHoldWarnings::activity)
                    .orElse("It was acquired asynchronously: no thread is known to work under it");
            LockLog.warn(event, "Lock '{}' (fencing token {}) has been held for {}. {}", event.held(), activity);
        }

        private static String activity(Thread thread) {
            String holder = "Thread '" + thread.getName() + "', which acquired it, ";
            StackTraceElement[] frames = thread.getStackTrace();
            return frames.length == 0 && !thread.isAlive()
                    ? holder + "has terminated. Release the lock in a finally block; use LockRequest.ownedByHandle() if"
                            + " another thread is to release it"
                    : holder + "is now " + stack(frames);
        }

        private static String stack(StackTraceElement[] frames) {
            return Arrays.stream(frames)
                    .limit(MOST_FRAMES)
                    .map(frame -> System.lineSeparator() + "\tat " + frame)
                    .collect(Collectors.joining("", "at", ""));
        }
    }
}
