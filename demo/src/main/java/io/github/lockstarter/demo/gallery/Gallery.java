package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.play.Exhibit;
import io.github.lockstarter.demo.gallery.play.ExhibitResult;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gallery of broken locks: plays one plan at a time.
 *
 * <p>Thread-safe. All that changes is in {@code scene}: {@code performance} is set from the start of a plan until all
 * that it has started is gone.
 */
public final class Gallery implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Gallery.class);

    private final GalleryListener listener;
    private final Object telling = new Object();
    private final AtomicReference<Scene> scene =
            new AtomicReference<>(new Scene(GalleryPlan.SEED, null, null, null, false, Map.of()));
    private final ExecutorService background = Executors.newCachedThreadPool(Gallery::daemon);

    /**
     * A gallery in which nothing was played.
     *
     * @param listener is told what happens
     */
    public Gallery(GalleryListener listener) {
        this.listener = listener;
    }

    /** All that changes, at one moment. */
    private record Scene(
            long seed,
            @Nullable Performance performance,
            @Nullable Exhibit running,
            @Nullable String failure,
            boolean givenUp,
            Map<Exhibit, ExhibitResult> results) {

        Scene begin(GalleryPlan plan, Performance begun) {
            if (performance != null) {
                throw new GalleryConflictException("The gallery plays already. Wait for its end, or cancel it");
            }
            return new Scene(plan.seed(), begun, plan.exhibits().get(0), null, false, results);
        }

        Scene playing(Exhibit exhibit) {
            return new Scene(seed, performance, exhibit, failure, givenUp, results);
        }

        Scene with(Exhibit exhibit, ExhibitResult result) {
            Map<Exhibit, ExhibitResult> all = new EnumMap<>(Exhibit.class);
            all.putAll(results);
            all.put(exhibit, result);
            return new Scene(seed, performance, running, failure, givenUp, Map.copyOf(all));
        }

        /** No other one that has begun meanwhile. */
        Scene giveUp(Performance given) {
            return performance != given ? this : new Scene(seed, performance, running, failure, true, results);
        }

        Scene end(@Nullable String reason) {
            return new Scene(seed, null, null, givenUp ? null : reason, false, results);
        }

        GalleryState state() {
            return GalleryState.of(seed, running == null ? null : running.id(), failure, results);
        }
    }

    /**
     * How it stands.
     *
     * @return a snapshot
     */
    public GalleryState state() {
        return scene().state();
    }

    /**
     * Tells a newcomer how it stands, while the listener is told of no change: of the next one it is.
     *
     * @param newcomer is given a snapshot; returns at once
     */
    public void greet(Consumer<GalleryState> newcomer) {
        synchronized (telling) {
            newcomer.accept(state());
        }
    }

    /**
     * Plays a plan.
     *
     * @param plan what to play
     * @return completes when all is played and all that it needed is gone; fails when an exhibit cannot be played
     * @throws GalleryConflictException while another one is played
     */
    public CompletableFuture<Void> play(GalleryPlan plan) {
        Performance performance = new Performance(plan);
        move(now -> now.begin(plan, performance));
        return CompletableFuture.runAsync(() -> execute(performance), background);
    }

    /**
     * Gives up what is played, and waits until all that it has started is gone.
     *
     * @throws GalleryConflictException when nothing is played
     */
    public void cancel() {
        Performance performance = scene().performance();
        if (performance == null) {
            throw new GalleryConflictException("The gallery plays nothing. Start an exhibit first");
        }
        move(now -> now.giveUp(performance));
        performance.close();
    }

    /** Gives up what is played, if anything is. Nothing can be played afterwards. */
    @Override
    public void close() {
        Performance performance = scene().performance();
        if (performance != null) {
            move(now -> now.giveUp(performance));
            performance.close();
        }
        background.shutdown();
    }

    private void execute(Performance performance) {
        try {
            performance.execute(background, exhibit -> move(now -> now.playing(exhibit)), this::played);
            move(now -> now.end(null));
        } catch (RuntimeException failure) {
            String reason = reason(failure);
            boolean givenUp = scene().givenUp();
            move(now -> now.end(reason));
            if (!givenUp) {
                log.warn("The gallery could not play: {}", reason);
            }
            throw new IllegalStateException(reason, failure);
        }
    }

    private void played(Exhibit exhibit, ExhibitResult result) {
        move(now -> now.with(exhibit, result));
        listener.played(result);
    }

    private static String reason(RuntimeException failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return Objects.requireNonNullElse(cause.getMessage(), cause.toString());
    }

    /** One at a time, so that the newest state is told last. */
    private void move(UnaryOperator<Scene> step) {
        scene.getAndUpdate(step);
        synchronized (telling) {
            listener.galleryChanged(state());
        }
    }

    private Scene scene() {
        return Objects.requireNonNull(scene.get());
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "gallery");
        thread.setDaemon(true);
        return thread;
    }
}
