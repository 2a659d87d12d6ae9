package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.experiment.Scene.Phase;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.Act;
import io.github.lockstarter.demo.experiment.run.Run;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.experiment.run.RunPlan;
import io.github.lockstarter.demo.experiment.run.RunResult;
import io.github.lockstarter.demo.experiment.stage.Stage;
import io.github.lockstarter.demo.experiment.stage.StageListener;
import io.github.lockstarter.demo.experiment.stage.StagePlan;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The experiment: one stage at a time, and on it one run at a time.
 *
 * <p>Thread-safe. All that changes is in {@code scene}. A method that begins something moves the scene on at once, or
 * throws {@link ExperimentConflictException}; the work goes on in the background, and its future tells the end. Phases
 * go absent → starting → ready → stopping → absent; from starting and stopping also to failed, and from there to
 * starting or absent. The thread that moves the scene to stopping closes the stage. The other mutable field is
 * {@code settingUp}, the newest set-up: it may still end what it has begun when its stage is closed already.
 */
public final class Experiment implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Experiment.class);
    private static final Duration SET_UP_ENDS = Duration.ofSeconds(30);

    private final ExperimentListener listener;
    private final Object telling = new Object();
    private final AtomicReference<Scene> scene = new AtomicReference<>(Scene.EMPTY);
    private final AtomicReference<CompletableFuture<Void>> settingUp =
            new AtomicReference<>(CompletableFuture.completedFuture(null));
    private final ExecutorService background = Executors.newCachedThreadPool(Experiment::daemon);

    /**
     * An experiment without a stage.
     *
     * @param listener is told what happens
     */
    public Experiment(ExperimentListener listener) {
        this.listener = listener;
    }

    /**
     * How it stands.
     *
     * @return a snapshot
     */
    public ExperimentState state() {
        return ExperimentState.of(scene());
    }

    /**
     * Tells a newcomer how it stands, while the listener is told of no change: of the next one it is.
     *
     * @param newcomer is given a snapshot; returns at once
     */
    public void greet(Consumer<ExperimentState> newcomer) {
        synchronized (telling) {
            newcomer.accept(state());
        }
    }

    /**
     * Sets the stage up; takes down one that stands.
     *
     * @param plan what to set up
     * @return completes when it is ready; fails when it cannot be set up
     * @throws ExperimentConflictException while a stage is set up or taken down, or a run is under way
     */
    public CompletableFuture<Void> setUp(StagePlan plan) {
        Stage stage = new Stage(plan, new Events());
        Scene before = move(now -> {
            now.requireNoRun();
            now.requireSettled();
            return now.starting(stage);
        });
        CompletableFuture<Void> ready = CompletableFuture.runAsync(() -> replace(before.stage(), stage), background);
        settingUp.set(ready);
        return ready.copy();
    }

    /**
     * Takes the stage down, whatever goes on there.
     *
     * @return completes when everything it consisted of is gone
     */
    public CompletableFuture<Void> takeDown() {
        Scene before = stopping();
        return CompletableFuture.runAsync(() -> takeDown(before), background);
    }

    /**
     * Starts a run.
     *
     * @param variant how to count
     * @param requests how many requests
     * @param acts what interferes in mid-run
     * @return completes with the result
     * @throws ExperimentConflictException unless the stage is ready, and while another run is under way
     * @throws IllegalArgumentException when there are too many requests, or too few
     */
    public CompletableFuture<RunResult> run(Variant variant, int requests, List<Act> acts) {
        AtomicReference<Run> begun = new AtomicReference<>();
        move(now -> {
            now.requireNoRun();
            Stage stage = now.requireReady();
            Run run = new Run(new RunPlan(now.runs() + 1, variant, requests, acts), stage, listener::happened);
            begun.set(run);
            return now.running(run);
        });
        Run run = Objects.requireNonNull(begun.get());
        return CompletableFuture.supplyAsync(() -> execute(run), background);
    }

    /** Waits until every instance is up, also one that was killed and is being replaced. */
    public void awaitInstances() {
        scene().requireReady().awaitInstances();
    }

    /**
     * How far the run has come that is under way.
     *
     * @return requests that have been answered; zero when there is no run
     */
    public int answered() {
        Run run = scene().run();
        return run == null ? 0 : run.answered();
    }

    /**
     * Gives up the run that is under way.
     *
     * @throws ExperimentConflictException when there is none
     */
    public void cancelRun() {
        scene().requireRun().cancel();
    }

    /**
     * Interferes with the run that is under way.
     *
     * @param act how
     * @param pause how long a holder is paused
     * @return what was done
     * @throws ExperimentConflictException when there is none
     * @throws io.github.lockstarter.demo.experiment.run.ActRefusedException when there is nothing to hit
     */
    public RunEvent.Acted perform(Act act, Duration pause) {
        return scene().requireRun().perform(act, pause);
    }

    /**
     * Keeps runs and set-ups from beginning, until {@link #vacate}: something else needs this machine.
     *
     * @throws ExperimentConflictException while a stage is set up or taken down, or a run is under way, and while this
     *     machine is occupied already
     */
    public void occupy() {
        move(now -> {
            now.requireNoRun();
            now.requireSettled();
            return now.occupied(true);
        });
    }

    /** Ends what {@link #occupy} has begun. */
    public void vacate() {
        move(now -> now.occupied(false));
    }

    /** Takes the stage down and waits for it. */
    @Override
    public void close() {
        takeDown(stopping());
        background.shutdown();
    }

    private Scene stopping() {
        return move(now -> now.stage() == null ? now.gone(Phase.ABSENT, null) : now.in(Phase.STOPPING));
    }

    private void takeDown(Scene before) {
        if (before.run() != null) {
            before.run().cancel();
        }
        Stage stage = before.stage();
        if (stage == null) {
            return;
        }
        try {
            stage.close();
            awaitSetUp();
            move(now -> now.stage() == stage ? now.gone(Phase.ABSENT, null) : now);
        } catch (RuntimeException failure) {
            move(now -> now.stage() == stage ? now.gone(Phase.FAILED, failure.getMessage()) : now);
            log.warn("The stage of the experiment could not be taken down", failure);
            throw failure;
        }
    }

    /** Of a stage that is closed already, so it ends soon, and fails. */
    private void awaitSetUp() {
        Objects.requireNonNull(settingUp.get())
                .copy()
                .exceptionally(failure -> null)
                .completeOnTimeout(null, SET_UP_ENDS.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private void replace(@Nullable Stage old, Stage stage) {
        try {
            if (old != null) {
                old.close();
            }
            stage.start();
            move(now -> isStarting(now, stage) ? now.in(Phase.READY) : now);
        } catch (RuntimeException failure) {
            close(stage, failure);
            Scene before = move(now -> isStarting(now, stage) ? now.gone(Phase.FAILED, failure.getMessage()) : now);
            if (isStarting(before, stage)) {
                log.warn("The stage of the experiment could not be set up", failure);
            }
            throw failure;
        }
    }

    private static void close(Stage stage, RuntimeException failure) {
        try {
            stage.close();
        } catch (RuntimeException notAll) {
            failure.addSuppressed(notAll);
        }
    }

    private static boolean isStarting(Scene now, Stage stage) {
        return now.stage() == stage && now.phase() == Phase.STARTING;
    }

    private RunResult execute(Run run) {
        try {
            RunResult result = run.execute();
            move(now -> now.run() == run ? now.with(result) : now);
            return result;
        } catch (RuntimeException failure) {
            move(now -> now.run() == run ? now.ended(reason(run, failure)) : now);
            throw failure;
        }
    }

    private static @Nullable String reason(Run run, RuntimeException failure) {
        return failure instanceof CancellationException
                ? null
                : "Run " + run.plan().id() + " failed: " + failure.getMessage();
    }

    /** Moves the scene on, and tells. Gives the scene before. */
    private Scene move(UnaryOperator<Scene> step) {
        Scene before = scene.getAndUpdate(step);
        tellState();
        return before;
    }

    private Scene scene() {
        return Objects.requireNonNull(scene.get());
    }

    /** One at a time, so that the newest state is told last. */
    private void tellState() {
        synchronized (telling) {
            listener.stateChanged(state());
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "experiment");
        thread.setDaemon(true);
        return thread;
    }

    /** Events of the stage, as those of the experiment. */
    private final class Events implements StageListener {

        @Override
        public void progressed(String text) {
            listener.progressed(text);
        }

        @Override
        public void instancesChanged() {
            tellState();
        }

        @Override
        public void told(String instance, InstanceEvent event) {
            Run run = scene().run();
            if (run != null) {
                run.told(instance, event);
            }
        }
    }
}
