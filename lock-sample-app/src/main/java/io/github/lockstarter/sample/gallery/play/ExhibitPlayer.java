package io.github.lockstarter.sample.gallery.play;

import io.github.lockstarter.sample.experiment.stage.Belongings;
import io.github.lockstarter.sample.experiment.stage.RedisConsole;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Plays exhibits, each on both sides at once. What it starts stays for the next exhibit, and ends with it. One thread
 * plays; any may close.
 */
public final class ExhibitPlayer implements AutoCloseable {

    private final Belongings belongings = new Belongings();
    private final ExecutorService sides = Executors.newCachedThreadPool(ExhibitPlayer::daemon);
    private final CompletableFuture<SidePlayer> broken;
    private final CompletableFuture<SidePlayer> ours;

    /** Starts the actors; returns at once. */
    public ExhibitPlayer() {
        RedisConsole console = belongings.add(new RedisConsole());
        this.broken = CompletableFuture.supplyAsync(() -> new SidePlayer(true, belongings, console), sides);
        this.ours = CompletableFuture.supplyAsync(() -> new SidePlayer(false, belongings, console), sides);
    }

    /**
     * Plays an exhibit.
     *
     * @param exhibit which
     * @param seed chooses parts, keys and pauses
     * @param rounds how often
     * @return what became of it
     * @throws IllegalStateException when it cannot be played to its end
     */
    public ExhibitResult play(Exhibit exhibit, long seed, int rounds) {
        CompletableFuture<SideResult> left = broken.thenApplyAsync(side -> side.play(exhibit, seed, rounds), sides);
        CompletableFuture<SideResult> right = ours.thenApplyAsync(side -> side.play(exhibit, seed, rounds), sides);
        try {
            CompletableFuture.allOf(left, right).join();
            return new ExhibitResult(exhibit.id(), seed, rounds, left.join(), right.join());
        } catch (CompletionException | CancellationException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            throw new IllegalStateException("Exhibit " + exhibit.id() + ": " + cause.getMessage(), cause);
        }
    }

    /** Ends everything, and waits until it is gone. Harmless when repeated. */
    @Override
    public void close() {
        sides.shutdownNow();
        belongings.close();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "gallery-side");
        thread.setDaemon(true);
        return thread;
    }
}
