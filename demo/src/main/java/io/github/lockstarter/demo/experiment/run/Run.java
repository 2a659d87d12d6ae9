package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.stage.Instance;
import io.github.lockstarter.demo.experiment.stage.Stage;
import io.github.lockstarter.sample.SimulatedWork;
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
    private final Stage stage;
    private final Consumer<RunEvent> listener;
    private final long start = System.nanoTime();
    private final Tally tally = new Tally();
    private final Requests requests;
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private final RunTimeline timeline;
    private final Acts acts;

    /**
     * A run that begins now.
     *
     * @param plan what to run
     * @param stage where; each of its instances answers
     * @param listener is told what happens, on several threads
     */
    public Run(RunPlan plan, Stage stage, Consumer<RunEvent> listener) {
        this.plan = plan;
        this.stage = stage;
        this.listener = listener;
        this.timeline = new RunTimeline(plan.page(), start, listener);
        this.requests = new Requests(plan.requests(), plan.heldBack());
        this.acts = new Acts(plan, stage, timeline, requests, listener);
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
        return tally.answered();
    }

    /**
     * An instance told something.
     *
     * @param instance its name
     * @param event what
     */
    public void told(String instance, InstanceEvent event) {
        timeline.told(instance, event);
    }

    /**
     * Interferes.
     *
     * @param act how
     * @param pause how long a holder is paused
     * @return what was done
     * @throws ActRefusedException when there is nothing to hit
     */
    public RunEvent.Acted perform(Act act, Duration pause) {
        return acts.perform(act, pause);
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
                stage.background().scheduleAtFixedRate(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
        Chaos chaos = new Chaos(plan, tally, requests, acts);
        CompletableFuture<Void> interference = CompletableFuture.runAsync(chaos, stage.background());
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
        CompletableFuture<Void> answers =
                new LoadClient(client, tally).fire(stage.uri(plan.variant(), plan.page()), plan.page(), requests);
        cancelled.whenComplete((none, reason) -> answers.cancel(false));
        answers.join();
    }

    private void look() {
        try {
            listener.accept(
                    new RunEvent.Counter(timeline.now(), tally.answered(), stage.views(plan.variant(), plan.page())));
        } catch (RedisException away) {
            // It is looked at again soon.
        }
    }

    /** The last sections tell of their ends after their requests are answered. */
    private void settle() {
        SimulatedWork.lasting(Duration.ofMillis(LOOK_MS));
        Patience.await(SETTLING, () -> timeline.holder().isEmpty());
    }

    private RunResult result(double seconds, List<String> missed) {
        long counter = Patience.ask(STORE_IS_BACK, () -> stage.views(plan.variant(), plan.page()));
        Latencies latencies = tally.latencies();
        int answered = tally.answered();
        return new RunResult(
                plan.id(),
                plan.variant().id(),
                plan.requests(),
                answered,
                counter,
                Math.max(0, answered - counter),
                timeline.refused(),
                tally.retries(),
                seconds,
                latencies.percentile(50),
                latencies.percentile(99),
                tally.perInstance(instances()),
                acts.done(),
                missed,
                answered == plan.requests() && counter == answered);
    }

    private List<String> instances() {
        return stage.instances().stream().map(Instance::name).toList();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "load");
        thread.setDaemon(true);
        return thread;
    }
}
