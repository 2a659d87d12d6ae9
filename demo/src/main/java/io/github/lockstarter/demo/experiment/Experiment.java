package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.DeploymentListener;
import io.github.lockstarter.demo.experiment.deployment.DeploymentPlan;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.Fault;
import io.github.lockstarter.demo.experiment.run.Run;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.experiment.run.RunPlan;
import io.github.lockstarter.demo.experiment.run.RunResult;
import io.github.lockstarter.demo.experiment.run.WarmUp;
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
 * The experiment: one deployment at a time, and on it one run at a time.
 *
 * <p>Thread-safe: the monitor guards all fields that change, and the listener is called under it, so that it receives
 * states in their order. A method that begins something changes the state at once, or throws {@link ConflictException};
 * the work is done in the background, and its future completes at the end. Phases go absent → starting → ready →
 * stopping → absent; from starting and stopping also to failed, and from there to starting or absent. The thread that
 * changes the phase to stopping closes the deployment.
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
    /** The newest set-up, which may still end what it has begun when its deployment is closed already. */
    private CompletableFuture<Void> settingUp = CompletableFuture.completedFuture(null);

    /** State of the deployment. */
    enum Phase {
        /** There is none. */
        ABSENT,
        /** It is being set up. */
        STARTING,
        /** Runs can begin. */
        READY,
        /** It is being taken down. */
        STOPPING,
        /** It could not be set up, and is gone; or not all of it could be ended. */
        FAILED
    }

    /**
     * An experiment without a deployment.
     *
     * @param listener receives events; must return at once
     */
    public Experiment(ExperimentListener listener) {
        this.listener = listener;
    }

    /** A snapshot of the state. */
    public synchronized ExperimentState state() {
        return ExperimentState.of(phase, failure, deployment, run, results);
    }

    /**
     * Passes the present state to a new subscriber; the listener receives every later change.
     *
     * @param subscriber must return at once
     */
    public synchronized void greet(Consumer<ExperimentState> subscriber) {
        subscriber.accept(state());
    }

    /**
     * Sets up a deployment; takes down the present one.
     *
     * @param plan what to set up
     * @return completes when it is ready; fails when it cannot be set up
     * @throws ConflictException while a deployment is set up or taken down, or a run is under way
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
     * Takes the deployment down, whatever goes on there.
     *
     * @return completes when all of it is gone
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
     * @param variant how to count
     * @param requests number of requests
     * @param faults what interferes in mid-run
     * @return completes with the result
     * @throws ConflictException unless the deployment is ready, and while another run is under way
     * @throws IllegalArgumentException when there are too many requests, or too few
     */
    public synchronized CompletableFuture<RunResult> run(Variant variant, int requests, List<Fault> faults) {
        requireNoRun();
        RunPlan plan = new RunPlan(runs + 1, variant, requests, faults);
        Run begun = new Run(plan, requireReady(), listener::happened);
        runs = plan.id();
        run = begun;
        change(phase, null);
        return CompletableFuture.supplyAsync(() -> execute(begun), background);
    }

    /** Waits until every instance is up, also one that was killed and is being replaced. */
    public void awaitInstances() {
        requireReady().awaitInstances();
    }

    /** Number of requests of the present run that have been answered; zero when there is no run. */
    public synchronized int answered() {
        return run == null ? 0 : run.answered();
    }

    /**
     * Gives up the run that is under way.
     *
     * @throws ConflictException when there is none
     */
    public void cancelRun() {
        requireRun().cancel();
    }

    /**
     * Interferes with the run that is under way.
     *
     * @param fault how
     * @param pause how long a holder is paused
     * @return what was done
     * @throws ConflictException when there is no run, or nothing to hit
     */
    public RunEvent.Interference perform(Fault fault, Duration pause) {
        return requireRun().perform(fault, pause);
    }

    /**
     * Keeps runs and set-ups from beginning, until {@link #vacate}: something else needs this machine.
     *
     * @throws ConflictException while a deployment is set up or taken down, or a run is under way, and while this
     *     machine is occupied already
     */
    public synchronized void occupy() {
        requireIdle();
        occupied = true;
    }

    /** Ends what {@link #occupy} has begun. */
    public synchronized void vacate() {
        occupied = false;
    }

    /** Takes the deployment down and waits for it. */
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
            WarmUp.of(next);
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

    /** Of a deployment that is closed already, so it ends soon, and fails. */
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
        tellState();
    }

    private synchronized void tellState() {
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

    /** Events of the deployment, as those of the experiment. */
    private final class Events implements DeploymentListener {

        @Override
        public void progressed(String text) {
            listener.progressed(text);
        }

        @Override
        public void instancesChanged() {
            tellState();
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
