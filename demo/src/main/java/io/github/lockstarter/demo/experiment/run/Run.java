package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.InstanceProcess;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.kit.process.Polling;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run: sends the requests, polls the counter, and returns the result. One thread executes it once; others may
 * cancel it, inject faults and pass events.
 */
public final class Run {

    private static final long POLL_MS = 100;
    private static final Duration SETTLING = Duration.ofSeconds(2);
    private static final Duration STORE_IS_BACK = Duration.ofSeconds(20);

    private final RunPlan plan;
    private final Deployment deployment;
    private final Consumer<RunEvent> listener;
    private final long start = System.nanoTime();
    private final RequestStatistics statistics = new RequestStatistics();
    private final RequestSchedule requests;
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private final RunTimeline timeline;
    private final FaultInjector faults;

    /**
     * Starts the clock of the run.
     *
     * @param deployment all its instances answer
     * @param listener called by several threads
     */
    public Run(RunPlan plan, Deployment deployment, Consumer<RunEvent> listener) {
        this.plan = plan;
        this.deployment = deployment;
        this.listener = listener;
        this.timeline = new RunTimeline(plan.page(), start, listener);
        this.requests = new RequestSchedule(plan.requests(), plan.heldBack());
        this.faults = new FaultInjector(plan, deployment, timeline, requests, listener);
    }

    public RunPlan plan() {
        return plan;
    }

    public int answered() {
        return statistics.answered();
    }

    public void reported(String instance, InstanceEvent event) {
        timeline.reported(instance, event);
    }

    /**
     * Injects a fault.
     *
     * @param pause how long a holder is paused
     * @throws ConflictException without a target
     */
    public RunEvent.Interference perform(RunFault fault, Duration pause) {
        return faults.perform(fault, pause);
    }

    /** Makes {@link #execute} throw soon. */
    public void cancel() {
        cancelled.cancel(false);
    }

    /**
     * Sends the requests and returns the result.
     *
     * @throws CancellationException if cancelled
     */
    public RunResult execute() {
        listener.accept(new RunEvent.Started(plan.id(), plan.variant().id(), plan.requests(), instances()));
        ScheduledFuture<?> polling =
                deployment.background().scheduleAtFixedRate(this::poll, POLL_MS, POLL_MS, TimeUnit.MILLISECONDS);
        Chaos chaos = new Chaos(plan, statistics, requests, faults);
        CompletableFuture<Void> interference = CompletableFuture.runAsync(chaos, deployment.background());
        try (LoadClient client = new LoadClient(statistics, cancelled::isDone)) {
            sendAll(client);
            double seconds = Math.round(timeline.now()) / 1000.0;
            chaos.end();
            interference.join();
            settle();
            RunResult result = result(seconds, chaos.missed());
            listener.accept(result);
            return result;
        } finally {
            polling.cancel(false);
            chaos.end();
        }
    }

    private void sendAll(LoadClient client) {
        CompletableFuture<Void> answers =
                client.fire(deployment.uri(plan.variant(), plan.page()), plan.page(), requests);
        cancelled.whenComplete((none, reason) -> answers.cancel(false));
        answers.join();
    }

    /** Returns whether the store answered. */
    private boolean poll() {
        try {
            listener.accept(new RunEvent.Counter(timeline.now(), statistics.answered(), counter()));
            return true;
        } catch (RedisException away) {
            return false;
        }
    }

    private long counter() {
        return deployment.views(plan.variant(), plan.page());
    }

    /** The last sections report their end after their requests are answered. */
    private void settle() {
        Sleep.lasting(Duration.ofMillis(POLL_MS));
        Polling.until(() -> timeline.holder().isEmpty(), SETTLING);
    }

    private RunResult result(double seconds, List<String> missed) {
        Polling.until(this::poll, STORE_IS_BACK);
        long counter = counter();
        int answered = statistics.answered();
        return new RunResult(
                plan.id(),
                plan.variant().id(),
                plan.requests(),
                answered,
                counter,
                Math.max(0, answered - counter),
                timeline.refused(),
                statistics.retries(),
                seconds,
                statistics.percentile(50),
                statistics.percentile(99),
                statistics.perInstance(instances()),
                faults.done(),
                missed,
                answered == plan.requests() && counter == answered);
    }

    private List<String> instances() {
        return deployment.instances().stream().map(InstanceProcess::name).toList();
    }
}
