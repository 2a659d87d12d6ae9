package io.github.lockstarter.sample.experiment.run;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.experiment.stage.Instance;
import io.github.lockstarter.sample.experiment.stage.Stage;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Has the holder stand still between its read and its write. Sections take milliseconds: without that, the one that is
 * known to be the holder is it no longer when a signal arrives.
 */
final class Breakpoint {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** Between two sections there may be none. */
    private static final Duration GAP = Duration.ofSeconds(1);

    private static final Duration LOOK = Duration.ofMillis(2);

    /** One for all runs: a client keeps threads, and cannot be closed in Java 17. */
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Stage stage;
    private final RunTimeline timeline;

    Breakpoint(Stage stage, RunTimeline timeline) {
        this.stage = stage;
        this.timeline = timeline;
    }

    /**
     * Waits until the holder stands still.
     *
     * @param duration for how long it will
     * @return the holder
     * @throws ActRefusedException when nobody is in a section, or comes into one soon
     */
    Instance haltHolder(Duration duration) {
        Instance holder = awaitHolder();
        CompletableFuture<Void> halted = timeline.nextHalt(holder.name());
        try {
            arm(holder, duration);
            halted.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return holder;
        } catch (TimeoutException | ExecutionException gone) {
            disarm(holder);
            throw nobody();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while instance " + holder.name() + " was to halt", interrupt);
        }
    }

    private Instance awaitHolder() {
        long deadline = System.nanoTime() + GAP.toNanos();
        Optional<Instance> holder = holder();
        while (holder.isEmpty() && System.nanoTime() < deadline) {
            SimulatedWork.lasting(LOOK);
            holder = holder();
        }
        return holder.orElseThrow(Breakpoint::nobody);
    }

    private Optional<Instance> holder() {
        return timeline.holder().flatMap(name -> stage.instances().stream()
                .filter(instance -> instance.name().equals(name))
                .filter(instance -> instance.status() == Instance.Status.UP)
                .findFirst());
    }

    private void arm(Instance instance, Duration duration) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(instance.uri("/halts?ms=" + duration.toMillis()))
                .timeout(PATIENCE)
                .POST(BodyPublishers.noBody())
                .build();
        try {
            HTTP.send(request, BodyHandlers.discarding());
        } catch (IOException failure) {
            throw new ActRefusedException("Instance " + instance.name() + " does not answer", failure);
        }
    }

    private void disarm(Instance instance) {
        try {
            arm(instance, Duration.ZERO);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        } catch (ActRefusedException ended) {
            // Then there is no breakpoint left.
        }
    }

    private static ActRefusedException nobody() {
        return new ActRefusedException("Nobody is in the critical section just now. Do it while a run is under way");
    }
}
