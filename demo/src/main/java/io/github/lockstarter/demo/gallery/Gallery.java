package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gallery of broken locks: plays one plan at a time.
 *
 * <p>Thread-safe: the monitor guards all fields that change, and the listener is told states under it, in their order.
 * {@code run} is set from the start of a plan until all that it has started is gone.
 */
public final class Gallery implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Gallery.class);

    private final GalleryListener listener;
    private final ExecutorService background = Executors.newCachedThreadPool(Gallery::daemon);

    private long seed = GalleryPlan.SEED;
    private @Nullable GalleryRun run;
    private @Nullable Exhibit running;
    private @Nullable String failure;
    private boolean givenUp;
    private final Map<Exhibit, ExhibitResult> results = new EnumMap<>(Exhibit.class);

    /**
     * A gallery in which nothing was played.
     *
     * @param listener is told what happens; must return at once
     */
    public Gallery(GalleryListener listener) {
        this.listener = listener;
    }

    /** A snapshot of the state. */
    public synchronized GalleryState state() {
        return GalleryState.of(seed, running, failure, results);
    }

    /**
     * Passes the present state to a new subscriber; the listener receives every later change.
     *
     * @param subscriber must return at once
     */
    public synchronized void greet(Consumer<GalleryState> subscriber) {
        subscriber.accept(state());
    }

    /**
     * Plays a plan.
     *
     * @param plan what to play
     * @return completes when all is played and all that it needed is gone; fails when an exhibit cannot be played
     * @throws ConflictException while another one is played
     */
    public synchronized CompletableFuture<Void> play(GalleryPlan plan) {
        if (run != null) {
            throw new ConflictException("The gallery plays already. Wait for its end, or cancel it");
        }
        GalleryRun begun = new GalleryRun(plan);
        seed = plan.seed();
        run = begun;
        givenUp = false;
        change(plan.exhibits().get(0), null);
        return CompletableFuture.runAsync(() -> execute(begun), background);
    }

    /**
     * Gives up what is played, and waits until all that it has started is gone.
     *
     * @throws ConflictException when nothing is played
     */
    public void cancel() {
        if (!giveUp()) {
            throw new ConflictException("The gallery plays nothing. Start an exhibit first");
        }
    }

    /** Gives up what is played, if anything is. Nothing can be played afterwards. */
    @Override
    public void close() {
        giveUp();
        background.shutdown();
    }

    private boolean giveUp() {
        GalleryRun given;
        synchronized (this) {
            given = run;
            givenUp = given != null;
        }
        if (given != null) {
            given.close();
        }
        return given != null;
    }

    private void execute(GalleryRun begun) {
        try {
            begun.execute(background, exhibit -> change(exhibit, null), this::played);
            end(null);
        } catch (RuntimeException reason) {
            String text = textOf(reason);
            end(text);
            throw new IllegalStateException(text, reason);
        }
    }

    private void played(Exhibit exhibit, ExhibitResult result) {
        synchronized (this) {
            results.put(exhibit, result);
            change(running, failure);
        }
        listener.played(result);
    }

    private synchronized void end(@Nullable String reason) {
        run = null;
        if (reason != null && !givenUp) {
            log.warn("The gallery could not play: {}", reason);
        }
        change(null, givenUp ? null : reason);
    }

    private synchronized void change(@Nullable Exhibit next, @Nullable String reason) {
        running = next;
        failure = reason;
        listener.galleryChanged(state());
    }

    private static String textOf(RuntimeException failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return Objects.requireNonNullElse(cause.getMessage(), cause.toString());
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "gallery");
        thread.setDaemon(true);
        return thread;
    }
}
