package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.Instance;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.kit.process.Patience;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Has a holder stand still between its read and its write, until it is told to go on. Sections take milliseconds:
 * without that, the one that is known to be the holder is it no longer when a signal arrives.
 */
final class HolderBreakpoint {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Duration LONGEST_HALT = Duration.ofSeconds(10);

    /** One for all runs: a client keeps threads, and cannot be closed in Java 17. */
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Deployment deployment;
    private final RunTimeline timeline;
    private final Requests requests;

    HolderBreakpoint(Deployment deployment, RunTimeline timeline, Requests requests) {
        this.deployment = deployment;
        this.timeline = timeline;
        this.requests = requests;
    }

    /**
     * Waits until a holder stands still, wherever that is: each instance has the breakpoint before one more request is
     * sent.
     *
     * @return the holder; {@link #goOn} ends its halt
     * @throws ConflictException when all requests that were sent are answered, and none came to a section
     */
    Instance haltHolder() {
        List<Instance> armed = new ArrayList<>(deployment.instances());
        armed.removeIf(instance -> instance.status() != Instance.Status.UP);
        CompletableFuture<String> halted = timeline.next(InstanceEvent.Halted.class);
        try {
            armed.forEach(instance -> arm(instance, LONGEST_HALT));
            requests.sendOne();
            Patience.until(() -> halted.isDone() || !requests.areUnderWay(), LONGEST_WAIT);
            Instance holder = armed.stream()
                    .filter(instance -> instance.name().equals(halted.getNow("")))
                    .findFirst()
                    .orElseThrow(() -> new ConflictException(
                            "Nobody is in the critical section just now. Do it while a run is under way"));
            armed.remove(holder);
            return holder;
        } finally {
            // Not in the background: a late call would take the breakpoint of the next fault away.
            armed.forEach(this::goOn);
        }
    }

    /** Takes the breakpoint of an instance away; a section that stands still there goes on. */
    void goOn(Instance instance) {
        try {
            arm(instance, Duration.ZERO);
        } catch (ConflictException ended) {
            // Then there is no breakpoint left.
        }
    }

    private void arm(Instance instance, Duration duration) {
        HttpRequest request = HttpRequest.newBuilder(instance.uri("/breakpoint?ms=" + duration.toMillis()))
                .timeout(PATIENCE)
                .POST(BodyPublishers.noBody())
                .build();
        try {
            HTTP.sendAsync(request, BodyHandlers.discarding()).join();
        } catch (CompletionException failure) {
            throw new ConflictException("Instance " + instance.name() + " does not answer", failure);
        }
    }
}
