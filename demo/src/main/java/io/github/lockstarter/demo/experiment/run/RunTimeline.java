package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Converts the events of all instances to the time axis of a run. Each instance has a thread, which passes its events
 * in order; any thread may read.
 *
 * <p>Mutable: {@code open} sections; {@code awaited} futures by kind of event; {@code watches} for the next owner of
 * the lock; {@code refused} writes.
 */
final class RunTimeline {

    private static final double MICROS_PER_MS = 1e3;

    private final String page;
    private final long start;
    private final Consumer<RunEvent> listener;
    private final Map<String, Open> open = new ConcurrentHashMap<>();
    private final Map<Class<?>, CompletableFuture<String>> awaited = new ConcurrentHashMap<>();
    private final List<TakeoverWatch> watches = new CopyOnWriteArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();

    /**
     * @param page the counted page; events of other pages are ignored
     * @param start by {@link System#nanoTime()}
     */
    RunTimeline(String page, long start, Consumer<RunEvent> listener) {
        this.page = page;
        this.start = start;
        this.listener = listener;
    }

    private record Open(String instance, long since) {}

    void reported(String instance, InstanceEvent event) {
        if (!event.page().equals(page)) {
            return;
        }
        if (event instanceof InstanceEvent.Held held) {
            open.put(id(instance, held.id()), new Open(instance, held.at()));
            publish(new RunEvent.Held(
                    instance, id(instance, held.id()), at(held), held.fence(), held.path(), held.waited()));
        } else if (event instanceof InstanceEvent.Released end) {
            ended(instance, end);
        } else if (event instanceof InstanceEvent.Waiting waiting) {
            listener.accept(new RunEvent.Waiting(instance, at(waiting), waiting.count()));
        } else if (event instanceof InstanceEvent.Lost lost) {
            listener.accept(
                    new RunEvent.Lost(instance, at(lost), id(instance, lost.id()), lost.fence(), lost.reason()));
        }
        complete(event.getClass(), instance);
    }

    /** Passes all later sections to the watch. */
    void watch(TakeoverWatch watch) {
        watches.add(watch);
    }

    private void publish(RunEvent event) {
        listener.accept(event);
        watches.forEach(watch -> watch.accept(event));
    }

    /** Ends the sections and waiting requests of a killed instance. */
    void killed(String instance) {
        open.forEach((id, section) -> {
            if (section.instance().equals(instance) && open.remove(id, section)) {
                listener.accept(new RunEvent.Released(instance, id, now(), 0, 0, "failed"));
            }
        });
        listener.accept(new RunEvent.Waiting(instance, now(), 0));
    }

    /** The instance whose section started last, of the open sections. */
    Optional<String> holder() {
        return open.values().stream().max(Comparator.comparingLong(Open::since)).map(Open::instance);
    }

    /**
     * Completes with the name of the next instance that reports such an event, and replaces an earlier future of this
     * kind, which then never completes.
     */
    CompletableFuture<String> next(Class<? extends InstanceEvent> kind) {
        CompletableFuture<String> next = new CompletableFuture<>();
        awaited.put(kind, next);
        return next;
    }

    int refused() {
        return refused.get();
    }

    double now() {
        return at(System.nanoTime());
    }

    private void ended(String instance, InstanceEvent.Released end) {
        open.remove(id(instance, end.id()));
        if (end.outcome().equals("refused")) {
            refused.incrementAndGet();
        }
        publish(new RunEvent.Released(
                instance, id(instance, end.id()), at(end), end.read(), end.wrote(), end.outcome()));
    }

    private void complete(Class<? extends InstanceEvent> kind, String instance) {
        CompletableFuture<String> waiter = awaited.remove(kind);
        if (waiter != null) {
            waiter.complete(instance);
        }
    }

    private double at(InstanceEvent event) {
        return at(event.at());
    }

    private double at(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos - start) / MICROS_PER_MS;
    }

    private static String id(String instance, long section) {
        return instance + "-" + section;
    }
}
