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
 * Brings the events of all instances onto the time axis of one run. Called by one thread for each instance, in the
 * order in which that instance told its events; read by anybody.
 *
 * <p>Mutable: {@code open}, the sections that run; {@code awaited}, who waits for an event of a kind;
 * {@code watches}, who waits for the lock's next owner; {@code refused}.
 */
final class RunTimeline {

    private static final double MICROS_PER_MS = 1e3;

    private final String page;
    private final long start;
    private final Consumer<RunEvent> listener;
    private final Map<String, Open> open = new ConcurrentHashMap<>();
    private final Map<Class<?>, CompletableFuture<String>> awaited = new ConcurrentHashMap<>();
    private final List<TakeOverWatch> watches = new CopyOnWriteArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();

    /**
     * A time axis.
     *
     * @param page what the run counts; sections of other pages are not of this run
     * @param start {@link System#nanoTime()} at which it begins
     * @param listener receives events
     */
    RunTimeline(String page, long start, Consumer<RunEvent> listener) {
        this.page = page;
        this.start = start;
        this.listener = listener;
    }

    private record Open(String instance, long since) {}

    /** An instance reported an event. */
    void reported(String instance, InstanceEvent event) {
        if (!event.page().equals(page)) {
            return;
        }
        if (event instanceof InstanceEvent.Held held) {
            open.put(id(instance, held.id()), new Open(instance, held.at()));
            tell(new RunEvent.Held(
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

    /** Tells it of all sections from now on. */
    void watch(TakeOverWatch watch) {
        watches.add(watch);
    }

    private void tell(RunEvent event) {
        listener.accept(event);
        watches.forEach(watch -> watch.accept(event));
    }

    /** The instance was killed: its sections end here, and nobody waits there. */
    void killed(String instance) {
        open.forEach((id, section) -> {
            if (section.instance().equals(instance) && open.remove(id, section)) {
                listener.accept(new RunEvent.Released(instance, id, now(), 0, 0, "failed"));
            }
        });
        listener.accept(new RunEvent.Waiting(instance, now(), 0));
    }

    /** The instance whose section began last, of those that have not ended. */
    Optional<String> holder() {
        return open.values().stream().max(Comparator.comparingLong(Open::since)).map(Open::instance);
    }

    /** Completes with the name of the instance that tells such an event next; who waited before waits in vain. */
    CompletableFuture<String> next(Class<? extends InstanceEvent> kind) {
        CompletableFuture<String> next = new CompletableFuture<>();
        awaited.put(kind, next);
        return next;
    }

    /** How many stale writes the store refused. */
    int refused() {
        return refused.get();
    }

    /** Now, on this axis. */
    double now() {
        return at(System.nanoTime());
    }

    private void ended(String instance, InstanceEvent.Released end) {
        open.remove(id(instance, end.id()));
        if (end.outcome().equals("refused")) {
            refused.incrementAndGet();
        }
        tell(new RunEvent.Released(instance, id(instance, end.id()), at(end), end.read(), end.wrote(), end.outcome()));
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
