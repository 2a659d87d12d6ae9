package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitRunner;
import io.github.lockstarter.demo.process.Closer;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** From the start of what a plan asks for to its end. One thread executes; any may close, which gives it up. */
final class GalleryRun implements AutoCloseable {

    private final GalleryPlan plan;
    private final Closer closer = new Closer();
    private final Queue<Exhibit> left;
    private final boolean isPlayable;

    GalleryRun(GalleryPlan plan) {
        this.plan = plan;
        this.left = new ConcurrentLinkedQueue<>(inOrder(plan));
        this.left.removeIf(exhibit -> !exhibit.isPlayable());
        this.isPlayable = !left.isEmpty();
    }

    /**
     * Plays all of it, and ends what it has started.
     *
     * @param executor threads for the lanes
     * @param begun is given each exhibit that begins
     * @param played is given each that was played, on the thread of its lane
     * @throws RuntimeException when one fails, and when none of them can be played on this machine
     */
    void execute(Executor executor, Consumer<Exhibit> begun, BiConsumer<Exhibit, ExhibitResult> played) {
        try {
            if (!isPlayable) {
                throw new IllegalStateException("The clock of a redis-server cannot be moved here: that takes Linux on"
                        + " x86-64, and the right to write into the memory of a process that one has started");
            }
            List<CompletableFuture<Void>> lanes = IntStream.range(
                            0, Math.min(plan.lanes(), plan.exhibits().size()))
                    .mapToObj(lane -> CompletableFuture.runAsync(() -> playAll(begun, played), executor))
                    .toList();
            lanes.forEach(lane -> lane.whenComplete((done, failure) -> {
                if (failure != null) {
                    // The other lanes need not go on.
                    left.clear();
                }
            }));
            CompletableFuture.allOf(lanes.toArray(CompletableFuture[]::new)).join();
        } finally {
            close();
        }
    }

    /** Ends everything, and waits until it is gone. Harmless when repeated. */
    @Override
    public void close() {
        left.clear();
        closer.close();
    }

    private void playAll(Consumer<Exhibit> begun, BiConsumer<Exhibit, ExhibitResult> played) {
        ExhibitRunner player = closer.add(new ExhibitRunner());
        for (Exhibit exhibit = left.poll(); exhibit != null; exhibit = left.poll()) {
            begun.accept(exhibit);
            played.accept(exhibit, player.play(exhibit, plan.seed()));
        }
    }

    /**
     * With several lanes, the longest first, so that none of them has nothing to do in the end, and those that kill
     * callers last, so that nobody waits for other ones.
     */
    private static List<Exhibit> inOrder(GalleryPlan plan) {
        return plan.lanes() == 1
                ? plan.exhibits()
                : plan.exhibits().stream()
                        .sorted(Comparator.comparing(Exhibit::isLong).reversed().thenComparing(Exhibit::killsCallers))
                        .toList();
    }
}
