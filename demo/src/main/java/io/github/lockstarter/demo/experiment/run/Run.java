package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.Instance;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.kit.process.Patience;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run: sends the requests, looks at the counter meanwhile, and sums up. Executed once, by one thread; cancelled,
 * interfered with and told of events by others.
 */
public final class Run {

    private static final int CLIENT_THREADS = 4;
    private static final long LOOK_MS = 100;
    private static final Duration SETTLING = Duration.ofSeconds(2);
    private static final Duration STORE_IS_BACK = Duration.ofSeconds(20);

    private final RunPlan plan;
    private final Deployment deployment;
    private final Consumer<RunEvent> listener;
    private final long start = System.nanoTime();
    private final RequestStatistics statistics = new RequestStatistics();
    private final Requests requests;
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private final RunTimeline timeline;
    private final FaultInjector faults;

    /**
     * A run that begins now.
     *
     * @param plan what to run
     * @param deployment where; each of its instances answers
     * @param listener receives events, on several threads
     */
    public Run(RunPlan plan, Deployment deployment, Consumer<RunEvent> listener) {
        this.plan = plan;
        this.deployment = deployment;
        this.listener = listener;
        this.timeline = new RunTimeline(plan.page(), start, listener);
        this.requests = new Requests(plan.requests(), plan.heldBack());
        this.faults = new FaultInjector(plan, deployment, timeline, requests, listener);
    }

    /**
     * What is run.
     *
     * @return the plan
     */
    public RunPlan plan() {
        return plan;
    }

    /**
     * How many requests have been answered.
     *
     * @return the count now
     */
    public int answered() {
        return statistics.answered();
    }

    /**
     * An instance reported an event.
     *
     * @param instance its name
     * @param event what
     */
    public void reported(String instance, InstanceEvent event) {
        timeline.reported(instance, event);
    }

    /**
     * Interferes.
     *
     * @param fault how
     * @param pause how long a holder is paused
     * @return what was done
     * @throws ConflictException when there is nothing to hit
     */
    public RunEvent.Interference perform(Fault fault, Duration pause) {
        return faults.perform(fault, pause);
    }

    /** Gives it up: {@link #execute} throws soon. */
    public void cancel() {
        cancelled.cancel(false);
    }

    /**
     * Runs it.
     *
     * @return what it came to
     * @throws CancellationException when it was cancelled
     */
    public RunResult execute() {
        listener.accept(new RunEvent.Started(plan.id(), plan.variant().id(), plan.requests(), instances()));
        ExecutorService client = Executors.newFixedThreadPool(CLIENT_THREADS, Run::daemon);
        ScheduledFuture<?> looks =
                deployment.background().scheduleAtFixedRate(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
        Chaos chaos = new Chaos(plan, statistics, requests, faults);
        CompletableFuture<Void> interference = CompletableFuture.runAsync(chaos, deployment.background());
        try {
            sendAll(client);
            double seconds = Math.round(timeline.now()) / 1000.0;
            chaos.end();
            interference.join();
            settle();
            RunResult result = result(seconds, chaos.missed());
            listener.accept(result);
            return result;
        } finally {
            looks.cancel(false);
            chaos.end();
            client.shutdownNow();
        }
    }

    private void sendAll(ExecutorService client) {
        CompletableFuture<Void> answers = new LoadClient(client, statistics)
                .fire(deployment.uri(plan.variant(), plan.page()), plan.page(), requests);
        cancelled.whenComplete((none, reason) -> answers.cancel(false));
        answers.join();
    }

    private void look() {
        try {
            listener.accept(new RunEvent.Counter(
                    timeline.now(), statistics.answered(), deployment.views(plan.variant(), plan.page())));
        } catch (RedisException away) {
            // It is looked at again soon.
        }
    }

    /** The last sections tell of their ends after their requests are answered. */
    private void settle() {
        Sleep.lasting(Duration.ofMillis(LOOK_MS));
        Patience.until(() -> timeline.holder().isEmpty(), SETTLING);
    }

    private RunResult result(double seconds, List<String> missed) {
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

    /** The store is asked again while it is away. */
    private long counter() {
        long deadline = System.nanoTime() + STORE_IS_BACK.toNanos();
        while (true) {
            try {
                return deployment.views(plan.variant(), plan.page());
            } catch (RedisException away) {
                if (System.nanoTime() > deadline) {
                    throw away;
                }
                Sleep.lasting(Duration.ofMillis(LOOK_MS));
            }
        }
    }

    private List<String> instances() {
        return deployment.instances().stream().map(Instance::name).toList();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "load");
        thread.setDaemon(true);
        return thread;
    }
}
