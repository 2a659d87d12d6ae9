package io.github.lockstarter.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs what is to be done for one key one after the other, in the order in which it was asked for: each step begins
 * when the future of the one before is complete. Steps of different keys run beside each other. No thread waits.
 *
 * <p>So a future without an end would block its key. A step is a finite chain of answers, of {@link Nodes} and {@link
 * Session}, and each of these ends by itself. A missing answer fails the chain, so that nothing of the step runs later:
 * the next step never shares the {@link Turn} with the one before. A <em>command</em> of the failed step may still
 * reach the servers behind those of the next one. It concerns a node that the step has given up, or whose deletion is
 * repeated by the next command about it, or it creates a node that is deleted as soon as the client reports it.
 *
 * <p>Any thread asks. A key is forgotten when nothing is left to do for it, and this instance is in its line no more.
 */
final class KeyTurns {

    private final ConcurrentMap<String, Turns> keys = new ConcurrentHashMap<>();

    /** What a step may read and change of its key: it runs alone. */
    static final class Turn {

        /** The node by which this instance waits; null if it does not. */
        @Nullable
        Place place;
    }

    /** One step. The future that it returns may fail, which ends the step as well. */
    interface Step extends Function<Turn, CompletableFuture<?>> {}

    void run(String key, Step step) {
        boolean[] begins = new boolean[1];
        Turns turns = keys.compute(key, (same, known) -> {
            Turns all = known == null ? new Turns(key) : known;
            begins[0] = all.add(step);
            return all;
        });
        if (begins[0]) {
            turns.runAll();
        }
    }

    /** Of which something is remembered, or left to do. */
    List<String> keys() {
        return List.copyOf(keys.keySet());
    }

    /** How many keys are remembered. */
    int size() {
        return keys.size();
    }

    private final class Turns {

        private final String key;
        private final Turn turn = new Turn();
        private final ConcurrentLinkedQueue<Step> steps = new ConcurrentLinkedQueue<>();
        private final AtomicInteger left = new AtomicInteger();

        Turns(String key) {
            this.key = key;
        }

        /** Whether nobody runs the steps yet: the caller does then. Within the map's atomic step. */
        boolean add(Step step) {
            steps.add(step);
            return left.getAndIncrement() == 0;
        }

        /** By one thread at a time: the one whose step was the first, or that completes the future of the last one. */
        void runAll() {
            boolean goesOn = true;
            while (goesOn) {
                CompletableFuture<?> step = begin(steps.remove());
                if (!step.isDone()) {
                    step.whenComplete((result, failure) -> {
                        if (hasMore()) {
                            runAll();
                        }
                    });
                    return;
                }
                goesOn = hasMore();
            }
        }

        private CompletableFuture<?> begin(Step step) {
            try {
                return step.apply(turn);
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private boolean hasMore() {
            if (left.decrementAndGet() > 0) {
                return true;
            }
            keys.computeIfPresent(
                    key, (same, known) -> known == this && left.get() == 0 && turn.place == null ? null : known);
            return false;
        }
    }
}
