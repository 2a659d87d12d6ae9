package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Schedules the requests of a run: all at once, except for the last ones of a run with faults, which a fault sends
 * when it needs a request to hit. Thread-safe.
 */
final class RequestSchedule {

    private final int atOnce;
    private final List<CompletableFuture<Void>> heldBack;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger underWay;

    RequestSchedule(int requests, int heldBack) {
        this.atOnce = requests - heldBack;
        this.heldBack =
                Stream.generate(CompletableFuture<Void>::new).limit(heldBack).toList();
        this.underWay = new AtomicInteger(atOnce);
    }

    /**
     * Sends each request when it is due.
     *
     * @param sender sends the request with this number; completes when it was answered or given up
     */
    CompletableFuture<Void> send(IntFunction<CompletableFuture<Void>> sender) {
        return CompletableFuture.allOf(IntStream.range(0, atOnce + heldBack.size())
                .mapToObj(number -> turn(number)
                        .thenCompose(now -> sender.apply(number))
                        .whenComplete((none, failure) -> underWay.decrementAndGet()))
                .toArray(CompletableFuture[]::new));
    }

    /** Sends one of the held-back requests, if any. */
    void sendOne() {
        int next = asked.getAndIncrement();
        if (next < heldBack.size()) {
            underWay.incrementAndGet();
            heldBack.get(next).complete(null);
        }
    }

    void sendRest() {
        heldBack.forEach(none -> sendOne());
    }

    /** Whether any sent request has not ended. */
    boolean areUnderWay() {
        return underWay.get() > 0;
    }

    private CompletableFuture<Void> turn(int number) {
        return number < atOnce ? CompletableFuture.completedFuture(null) : heldBack.get(number - atOnce);
    }
}
