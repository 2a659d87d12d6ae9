package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * When the requests of a run are sent: all at once, but for the last ones of a run that is to be interfered with. Those
 * wait until a fault asks for one, so that it meets a request however fast the others were answered. Thread-safe.
 */
final class Requests {

    private final int atOnce;
    private final List<CompletableFuture<Void>> heldBack;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger underWay;

    Requests(int requests, int heldBack) {
        this.atOnce = requests - heldBack;
        this.heldBack =
                Stream.generate(CompletableFuture<Void>::new).limit(heldBack).toList();
        this.underWay = new AtomicInteger(atOnce);
    }

    /**
     * Sends each request in its turn.
     *
     * @param sender sends the request of a number; its result completes when that was answered, or is given up
     * @return completes when all have ended
     */
    CompletableFuture<Void> send(IntFunction<CompletableFuture<Void>> sender) {
        return CompletableFuture.allOf(IntStream.range(0, atOnce + heldBack.size())
                .mapToObj(number -> turn(number)
                        .thenCompose(now -> sender.apply(number))
                        .whenComplete((none, failure) -> underWay.decrementAndGet()))
                .toArray(CompletableFuture[]::new));
    }

    /** Sends one of those that are held back, if there is one. */
    void sendOne() {
        int next = asked.getAndIncrement();
        if (next < heldBack.size()) {
            underWay.incrementAndGet();
            heldBack.get(next).complete(null);
        }
    }

    /** Sends all that are held back. */
    void sendRest() {
        heldBack.forEach(none -> sendOne());
    }

    /** Whether a request that was sent has not ended. */
    boolean areUnderWay() {
        return underWay.get() > 0;
    }

    private CompletableFuture<Void> turn(int number) {
        return number < atOnce ? CompletableFuture.completedFuture(null) : heldBack.get(number - atOnce);
    }
}
