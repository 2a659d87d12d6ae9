package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitRunner;
import io.github.lockstarter.demo.process.Closer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gallery of broken locks: plays one plan at a time.
 *
 * <p>Thread-safe: the monitor guards all mutable fields and is held when the listener receives states, so they arrive
 * in order. {@code run} closes everything that the current plan has started, and is set until all of it has ended.
 */
public final class Gallery implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Gallery.class);

    private final GalleryListener listener;
    private final ExecutorService background = Executors.newCachedThreadPool(new DefaultThreadFactory("gallery", true));

    private long seed = GalleryPlan.SEED;
    private @Nullable Closer run;
    private @Nullable Exhibit running;
    private @Nullable String failure;
    private boolean givenUp;
    private final Map<Exhibit, ExhibitResult> results = new EnumMap<>(Exhibit.class);

    /** @param listener must return promptly */
    public Gallery(GalleryListener listener) {
        this.listener = listener;
    }

    public synchronized GalleryState state() {
        return new GalleryState(
                seed,
                running == null ? null : running.id(),
                failure,
                GalleryState.ExhibitView.all(),
                List.copyOf(results.values()));
    }

    /**
     * Passes the current state to a new subscriber; the listener receives all later changes.
     *
     * @param subscriber must return promptly
     */
    public synchronized void sendState(Consumer<GalleryState> subscriber) {
        subscriber.accept(state());
    }

    /**
     * Plays a plan.
     *
     * @return completes when all processes have ended; fails if an exhibit cannot be played
     * @throws ConflictException while another plan is played
     */
    public synchronized CompletableFuture<Void> play(GalleryPlan plan) {
        if (run != null) {
            throw new ConflictException("The gallery plays already. Wait for its end, or cancel it");
        }
        Closer begun = new Closer();
        seed = plan.seed();
        run = begun;
        givenUp = false;
        change(plan.exhibits().get(0), null);
        return CompletableFuture.runAsync(() -> execute(plan, begun), background);
    }

    /**
     * Cancels the current plan and waits until its processes have ended.
     *
     * @throws ConflictException if there is none
     */
    public void cancel() {
        if (!giveUp()) {
            throw new ConflictException("The gallery plays nothing. Start an exhibit first");
        }
    }

    /** Cancels the current plan, if any, and prevents further ones. */
    @Override
    public void close() {
        giveUp();
        background.shutdown();
    }

    private boolean giveUp() {
        Closer given;
        synchronized (this) {
            given = run;
            givenUp = given != null;
        }
        if (given != null) {
            given.close();
        }
        return given != null;
    }

    private void execute(GalleryPlan plan, Closer begun) {
        try {
            try (begun) {
                playLanes(plan, begun);
            }
            end(null);
        } catch (RuntimeException reason) {
            String text = textOf(reason);
            end(text);
            throw new IllegalStateException(text, reason);
        }
    }

    private void playLanes(GalleryPlan plan, Closer begun) {
        Queue<Exhibit> left = new ConcurrentLinkedQueue<>(plan.exhibits());
        left.removeIf(exhibit -> !exhibit.isPlayable());
        if (left.isEmpty()) {
            throw new IllegalStateException("The clock of a redis-server cannot be moved here: that takes Linux on"
                    + " x86-64, and the right to write into the memory of a process that one has started");
        }
        List<CompletableFuture<Void>> lanes = IntStream.range(0, Math.min(plan.lanes(), left.size()))
                .mapToObj(lane -> CompletableFuture.runAsync(() -> playAll(left, plan.seed(), begun), background))
                .toList();
        CompletableFuture.allOf(lanes.toArray(CompletableFuture[]::new)).join();
    }

    private void playAll(Queue<Exhibit> left, long seed, Closer begun) {
        try {
            ExhibitRunner player = begun.add(new ExhibitRunner(List.of()));
            for (Exhibit exhibit = left.poll(); exhibit != null; exhibit = left.poll()) {
                change(exhibit, null);
                played(exhibit, player.play(exhibit, seed));
            }
        } finally {
            // After a failure, the other lanes may stop too.
            left.clear();
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
}
