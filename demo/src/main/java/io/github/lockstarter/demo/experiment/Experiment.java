package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.DeploymentListener;
import io.github.lockstarter.demo.experiment.deployment.DeploymentPlan;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.DeploymentWarmUp;
import io.github.lockstarter.demo.experiment.run.Run;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.experiment.run.RunFault;
import io.github.lockstarter.demo.experiment.run.RunPlan;
import io.github.lockstarter.demo.experiment.run.RunResult;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The experiment: one deployment at a time, with one run at a time.
 *
 * <p>Thread-safe: the monitor guards all mutable fields and is held when the listener is called, so states arrive in
 * order. Methods that start something change the state at once or throw {@link ConflictException}; the work continues
 * in the background until the future completes. Phases: absent → starting → ready → stopping → absent; starting and
 * stopping may become failed, and failed starting or absent. The thread that changes the phase to stopping closes the
 * deployment.
 */
public final class Experiment implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Experiment.class);
    private static final Duration SET_UP_ENDS = Duration.ofSeconds(30);

    private final ExperimentListener listener;
    private final ExecutorService background =
            Executors.newCachedThreadPool(new DefaultThreadFactory("experiment", true));

    private Phase phase = Phase.ABSENT;
    private @Nullable String failure;
    private @Nullable Deployment deployment;
    private @Nullable Run run;
    private long runs;
    private final List<RunResult> results = new ArrayList<>();
    private boolean occupied;
    /** The latest set-up; may still be ending when its deployment is already closed. */
    private CompletableFuture<Void> settingUp = CompletableFuture.completedFuture(null);

    enum Phase {
        ABSENT,
        STARTING,
        READY,
        STOPPING,
        /** The set-up failed and was removed, or the removal was incomplete. */
        FAILED
    }

    /** @param listener must return promptly */
    public Experiment(ExperimentListener listener) {
        this.listener = listener;
    }

    public synchronized ExperimentState state() {
        return ExperimentState.of(phase, failure, deployment, run, results);
    }

    /**
     * Passes the current state to a new subscriber; the listener receives all later changes.
     *
     * @param subscriber must return promptly
     */
    public synchronized void sendState(Consumer<ExperimentState> subscriber) {
        subscriber.accept(state());
    }

    /**
     * Replaces the deployment.
     *
     * @return completes when it is ready; fails if the set-up fails
     * @throws ConflictException while a deployment is starting or stopping, or a run is in progress
     */
    public synchronized CompletableFuture<Void> setUp(DeploymentPlan plan) {
        requireIdle();
        Deployment before = deployment;
        Deployment next = new Deployment(plan, new Events());
        deployment = next;
        change(Phase.STARTING, null);
        settingUp = CompletableFuture.runAsync(() -> replace(before, next), background);
        return settingUp.copy();
    }

    /**
     * Removes the deployment and cancels its run.
     *
     * @return completes when everything has ended
     */
    public synchronized CompletableFuture<Void> takeDown() {
        Deployment ended = deployment;
        if (ended == null) {
            change(Phase.ABSENT, null);
            return CompletableFuture.completedFuture(null);
        }
        Run cancelled = run;
        change(Phase.STOPPING, failure);
        return CompletableFuture.runAsync(() -> end(ended, cancelled), background);
    }

    /**
     * Starts a run.
     *
     * @param faults occur during the run
     * @throws ConflictException if the deployment is not ready, or another run is in progress
     * @throws IllegalArgumentException if the number of requests is out of range
     */
    public synchronized CompletableFuture<RunResult> run(Variant variant, int requests, List<RunFault> faults) {
        requireNoRun();
        RunPlan plan = new RunPlan(runs + 1, variant, requests, faults);
        Run begun = new Run(plan, requireReady(), listener::happened);
        runs = plan.id();
        run = begun;
        change(phase, null);
        return CompletableFuture.supplyAsync(() -> execute(begun), background);
    }

    /** Waits until every instance is up, including replacements of killed ones. */
    public void awaitInstances() {
        requireReady().awaitInstances();
    }

    public synchronized int answered() {
        return run == null ? 0 : run.answered();
    }

    /**
     * Cancels the current run.
     *
     * @throws ConflictException if there is none
     */
    public void cancelRun() {
        requireRun().cancel();
    }

    /**
     * Injects a fault into the current run.
     *
     * @param pause how long a holder is paused
     * @throws ConflictException without a run or a target
     */
    public RunEvent.Interference perform(RunFault fault, Duration pause) {
        return requireRun().perform(fault, pause);
    }

    /**
     * Prevents runs and set-ups until {@link #vacate}, while something else uses this machine.
     *
     * @throws ConflictException while a deployment is starting or stopping, a run is in progress, or the machine is
     *     already occupied
     */
    public synchronized void occupy() {
        requireIdle();
        occupied = true;
    }

    public synchronized void vacate() {
        occupied = false;
    }

    /** Removes the deployment and waits for its end. */
    @Override
    public void close() {
        takeDown().join();
        background.shutdown();
    }

    private void replace(@Nullable Deployment old, Deployment next) {
        try {
            if (old != null) {
                old.close();
            }
            next.start();
            listener.progressed("Each instance counts in each variant, to warm up");
            DeploymentWarmUp.of(next);
            synchronized (this) {
                if (isStarting(next)) {
                    change(Phase.READY, null);
                }
            }
        } catch (RuntimeException reason) {
            closeAfter(reason, next);
            synchronized (this) {
                if (isStarting(next)) {
                    log.warn("The experiment could not be set up", reason);
                    remove(next, Phase.FAILED, reason.getMessage());
                }
            }
            throw reason;
        }
    }

    private static void closeAfter(RuntimeException reason, Deployment failed) {
        try {
            failed.close();
        } catch (RuntimeException notAll) {
            reason.addSuppressed(notAll);
        }
    }

    private void end(Deployment ended, @Nullable Run cancelled) {
        if (cancelled != null) {
            cancelled.cancel();
        }
        try {
            ended.close();
            awaitSetUp();
            remove(ended, Phase.ABSENT, null);
        } catch (RuntimeException reason) {
            remove(ended, Phase.FAILED, reason.getMessage());
            log.warn("The servers of the experiment could not be taken down", reason);
            throw reason;
        }
    }

    /** Ends soon and fails, since its deployment is already closed. */
    private void awaitSetUp() {
        CompletableFuture<Void> last;
        synchronized (this) {
            last = settingUp.copy();
        }
        last.exceptionally(reason -> null)
                .completeOnTimeout(null, SET_UP_ENDS.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private RunResult execute(Run begun) {
        try {
            RunResult result = begun.execute();
            synchronized (this) {
                results.add(result);
                ended(begun, null);
            }
            return result;
        } catch (CancellationException cancelled) {
            ended(begun, null);
            throw cancelled;
        } catch (RuntimeException reason) {
            ended(begun, "Run " + begun.plan().id() + " failed: " + reason.getMessage());
            throw reason;
        }
    }

    private synchronized void ended(Run ended, @Nullable String reason) {
        if (run == ended) {
            run = null;
            change(phase, reason);
        }
    }

    private synchronized void remove(Deployment ended, Phase next, @Nullable String reason) {
        if (deployment == ended) {
            deployment = null;
            run = null;
            change(next, reason);
        }
    }

    private synchronized void change(Phase next, @Nullable String reason) {
        phase = next;
        failure = reason;
        publishState();
    }

    private synchronized void publishState() {
        listener.stateChanged(state());
    }

    private synchronized boolean isStarting(Deployment next) {
        return deployment == next && phase == Phase.STARTING;
    }

    private synchronized Run requireRun() {
        if (run == null) {
            throw new ConflictException("No run is under way. Start one first");
        }
        return run;
    }

    private synchronized void requireNoRun() {
        if (occupied) {
            throw new ConflictException("The gallery plays. Wait for its end, or cancel it");
        }
        if (run != null) {
            throw new ConflictException("Run " + run.plan().id() + " is under way. Wait for its end, or cancel it");
        }
    }

    private synchronized void requireIdle() {
        requireNoRun();
        if (phase == Phase.STARTING || phase == Phase.STOPPING) {
            throw new ConflictException("The experiment is being set up or taken down. Try again in some seconds");
        }
    }

    private synchronized Deployment requireReady() {
        if (phase != Phase.READY || deployment == null) {
            throw new ConflictException("The experiment is not set up. Set it up first, and wait until it is ready");
        }
        return deployment;
    }

    private final class Events implements DeploymentListener {

        @Override
        public void progressed(String text) {
            listener.progressed(text);
        }

        @Override
        public void instancesChanged() {
            publishState();
        }

        @Override
        public void reported(String instance, InstanceEvent event) {
            Run now;
            synchronized (Experiment.this) {
                now = run;
            }
            if (now != null) {
                now.reported(instance, event);
            }
        }
    }
}
