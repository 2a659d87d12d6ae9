package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.experiment.run.Run;
import io.github.lockstarter.demo.experiment.run.RunResult;
import io.github.lockstarter.demo.experiment.stage.Stage;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that changes in an experiment, at one moment. What begins something requires it to be in a certain state, and
 * otherwise says what to do first.
 *
 * @param phase what the stage is
 * @param failure why the stage could not be set up, or the last run came to nothing, if that is so
 * @param stage the stage, if there is one
 * @param run the run that is under way, if there is one
 * @param runs how many runs have begun
 * @param results of those that have ended
 * @param occupied whether something else than a run has this machine
 */
record Scene(
        Phase phase,
        @Nullable String failure,
        @Nullable Stage stage,
        @Nullable Run run,
        long runs,
        List<RunResult> results,
        boolean occupied) {

    static final Scene EMPTY = new Scene(Phase.ABSENT, null, null, null, 0, List.of(), false);

    /** What the stage is. */
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

    Scene starting(Stage newStage) {
        return new Scene(Phase.STARTING, null, newStage, null, runs, results, occupied);
    }

    Scene in(Phase newPhase) {
        return new Scene(newPhase, null, stage, run, runs, results, occupied);
    }

    Scene gone(Phase newPhase, @Nullable String newFailure) {
        return new Scene(newPhase, newFailure, null, null, runs, results, occupied);
    }

    Scene running(Run newRun) {
        return new Scene(phase, null, stage, newRun, newRun.plan().id(), results, occupied);
    }

    Scene ended(@Nullable String reason) {
        return new Scene(phase, reason, stage, null, runs, results, occupied);
    }

    Scene with(RunResult result) {
        return new Scene(
                phase,
                failure,
                stage,
                null,
                runs,
                Stream.concat(results.stream(), Stream.of(result)).toList(),
                occupied);
    }

    Scene occupied(boolean nowOccupied) {
        return new Scene(phase, failure, stage, run, runs, results, nowOccupied);
    }

    Run requireRun() {
        if (run == null) {
            throw new ExperimentConflictException("No run is under way. Start one first");
        }
        return run;
    }

    void requireNoRun() {
        if (occupied) {
            throw new ExperimentConflictException("The gallery plays. Wait for its end, or cancel it");
        }
        if (run != null) {
            throw new ExperimentConflictException(
                    "Run " + run.plan().id() + " is under way. Wait for its end, or cancel it");
        }
    }

    void requireSettled() {
        if (phase == Phase.STARTING || phase == Phase.STOPPING) {
            throw new ExperimentConflictException(
                    "The stage is " + phase.name().toLowerCase(Locale.ROOT) + ". Try again in some seconds");
        }
    }

    Stage requireReady() {
        if (phase != Phase.READY || stage == null) {
            throw new ExperimentConflictException("The stage is not ready. Set it up first, and wait until it is");
        }
        return stage;
    }
}
