package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.process.Closer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Plays exhibits with both locks at once. Processes stay for the next exhibit until close. One thread plays; any
 * thread may close.
 */
public final class ExhibitRunner implements AutoCloseable {

    private static final Duration END = Duration.ofSeconds(20);

    private final Closer closer = new Closer();
    private final ExecutorService sides = Executors.newCachedThreadPool(new DefaultThreadFactory("gallery-side", true));
    private final CompletableFuture<SideRunner> broken;
    private final CompletableFuture<SideRunner> ours;

    /**
     * Starts the callers without waiting.
     *
     * @param properties of the starter, in addition to those of the exhibits
     */
    public ExhibitRunner(List<String> properties) {
        this.broken = CompletableFuture.supplyAsync(() -> new SideRunner(true, List.of(), closer), sides);
        this.ours = CompletableFuture.supplyAsync(() -> new SideRunner(false, properties, closer), sides);
    }

    /**
     * Plays an exhibit.
     *
     * @throws IllegalStateException if it does not run to its end
     */
    public ExhibitResult play(Exhibit exhibit, long seed) {
        CompletableFuture<SideResult> left = broken.thenApplyAsync(side -> side.play(exhibit, seed), sides);
        CompletableFuture<SideResult> right = ours.thenApplyAsync(side -> side.play(exhibit, seed), sides);
        try {
            CompletableFuture.allOf(left, right).join();
            return new ExhibitResult(exhibit.id(), seed, left.join(), right.join());
        } catch (CompletionException | CancellationException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            throw new IllegalStateException("Exhibit " + exhibit.id() + ": " + cause.getMessage(), cause);
        }
    }

    /**
     * Ends all processes and waits for them. Idempotent. A side that starts further processes meanwhile fails, and
     * they are ended at once. Sides are not interrupted, since they would not wait for that end.
     */
    @Override
    public void close() {
        sides.shutdown();
        closer.close();
        try {
            if (!sides.awaitTermination(END.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("A side of the gallery did not end within " + END.toSeconds() + " s");
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
