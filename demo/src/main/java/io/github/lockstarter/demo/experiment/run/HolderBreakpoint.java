package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.InstanceProcess;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.kit.process.Polling;
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
 * Stops a holder between its read and its write. Sections take milliseconds, so a signal would otherwise arrive after
 * the known holder has released.
 */
final class HolderBreakpoint {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Duration LONGEST_HALT = Duration.ofSeconds(10);

    /** Shared, since a client keeps threads and cannot be closed in Java 17. */
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Deployment deployment;
    private final RunTimeline timeline;
    private final RequestSchedule requests;

    HolderBreakpoint(Deployment deployment, RunTimeline timeline, RequestSchedule requests) {
        this.deployment = deployment;
        this.timeline = timeline;
        this.requests = requests;
    }

    /**
     * Sets the breakpoint in each running instance, sends one more request, and waits until a holder reaches it.
     *
     * @return the holder; {@link #proceed} lets it continue
     * @throws ConflictException if no section reaches the breakpoint, or an instance does not answer
     */
    InstanceProcess haltHolder() {
        List<InstanceProcess> armed = new ArrayList<>(deployment.instances());
        armed.removeIf(instance -> instance.status() != InstanceProcess.Status.UP);
        CompletableFuture<String> halted = timeline.next(InstanceEvent.Halted.class);
        try {
            armed.forEach(instance -> arm(instance, LONGEST_HALT));
            requests.sendOne();
            Polling.until(() -> halted.isDone() || !requests.areUnderWay(), LONGEST_WAIT);
            InstanceProcess holder = armed.stream()
                    .filter(instance -> instance.name().equals(halted.getNow("")))
                    .findFirst()
                    .orElseThrow(() -> new ConflictException(
                            "No instance is in the critical section. Inject the fault during a run"));
            armed.remove(holder);
            return holder;
        } finally {
            // Synchronously: a late call would remove the breakpoint of the next fault.
            armed.forEach(this::proceed);
        }
    }

    /** Removes the breakpoint of an instance, and lets a section there continue. */
    void proceed(InstanceProcess instance) {
        try {
            arm(instance, Duration.ZERO);
        } catch (ConflictException ended) {
            // The breakpoint ended with the instance.
        }
    }

    private void arm(InstanceProcess instance, Duration duration) {
        HttpRequest request = HttpRequest.newBuilder(instance.uri("/breakpoint?ms=" + duration.toMillis()))
                .timeout(TIMEOUT)
                .POST(BodyPublishers.noBody())
                .build();
        try {
            HTTP.sendAsync(request, BodyHandlers.discarding()).join();
        } catch (CompletionException failure) {
            throw new ConflictException("Instance " + instance.name() + " does not answer", failure);
        }
    }
}
