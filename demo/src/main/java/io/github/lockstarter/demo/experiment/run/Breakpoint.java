package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.stage.Instance;
import io.github.lockstarter.demo.experiment.stage.Stage;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Has a holder stand still between its read and its write, until it is told to go on. Sections take milliseconds:
 * without that, the one that is known to be the holder is it no longer when a signal arrives.
 */
final class Breakpoint {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Duration LONGEST_HALT = Duration.ofSeconds(10);

    /** One for all runs: a client keeps threads, and cannot be closed in Java 17. */
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Stage stage;
    private final RunTimeline timeline;
    private final Requests requests;

    Breakpoint(Stage stage, RunTimeline timeline, Requests requests) {
        this.stage = stage;
        this.timeline = timeline;
        this.requests = requests;
    }

    /**
     * Waits until a holder stands still, wherever that is: each instance has the breakpoint before one more request is
     * sent.
     *
     * @return the holder; {@link #goOn} ends its halt
     * @throws ActRefusedException when all requests that were sent are answered, and none came to a section
     */
    Instance haltHolder() {
        List<Instance> armed = stage.instances().stream()
                .filter(instance -> instance.status() == Instance.Status.UP)
                .toList();
        CompletableFuture<String> halted = timeline.next(InstanceEvent.Halted.class);
        Optional<Instance> holder = Optional.empty();
        try {
            armed.forEach(instance -> arm(instance, LONGEST_HALT));
            requests.sendOne();
            Patience.await(LONGEST_WAIT, () -> halted.isDone() || !requests.areUnderWay());
            holder = armed.stream()
                    .filter(instance -> instance.name().equals(halted.getNow("")))
                    .findFirst();
            return holder.orElseThrow(Breakpoint::nobody);
        } finally {
            // Not in the background: a late call would take the breakpoint of the next act away.
            Optional<Instance> halting = holder;
            armed.stream()
                    .filter(instance -> halting.filter(instance::equals).isEmpty())
                    .forEach(this::goOn);
        }
    }

    /** Takes the breakpoint of an instance away; a section that stands still there goes on. */
    void goOn(Instance instance) {
        try {
            arm(instance, Duration.ZERO);
        } catch (ActRefusedException ended) {
            // Then there is no breakpoint left.
        }
    }

    private void arm(Instance instance, Duration duration) {
        HttpRequest request = HttpRequest.newBuilder(instance.uri("/halts?ms=" + duration.toMillis()))
                .timeout(PATIENCE)
                .POST(BodyPublishers.noBody())
                .build();
        try {
            HTTP.send(request, BodyHandlers.discarding());
        } catch (IOException failure) {
            throw new ActRefusedException("Instance " + instance.name() + " does not answer", failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "Interrupted while instance " + instance.name() + " was to halt", interrupt);
        }
    }

    private static ActRefusedException nobody() {
        return new ActRefusedException("Nobody is in the critical section just now. Do it while a run is under way");
    }
}
