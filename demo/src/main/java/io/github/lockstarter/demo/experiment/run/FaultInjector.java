package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.InstanceProcess;
import io.github.lockstarter.demo.experiment.deployment.LockServers;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.run.RunEvent.Interference;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Injects faults into a run. Resumes and restarts follow in the background. */
final class FaultInjector {

    /** Delay of the replacement, so that requests are seen waiting for the lock. */
    private static final Duration REPLACEMENT = Duration.ofMillis(500);

    /** Twice the crash takeover time, but shorter than the lease of the instances. */
    private static final Duration STOP = Duration.ofSeconds(3);

    /** Time for a resumed holder to detect its loss before it writes. */
    private static final Duration LOSS_DETECTION = Duration.ofMillis(200);

    /** Time for others to acquire the deleted lock after its holder was notified. */
    private static final Duration REACQUISITION = Duration.ofSeconds(1);

    /** Longer than any lease, including the default of 30 s. */
    private static final Duration JUMP = Duration.ofSeconds(31);

    private static final Logger log = LoggerFactory.getLogger(FaultInjector.class);

    private final RunPlan plan;
    private final Deployment deployment;
    private final RunTimeline timeline;
    private final Consumer<RunEvent> listener;
    private final ScheduledExecutorService background;
    private final HolderBreakpoint breakpoint;
    private final Queue<String> done = new ConcurrentLinkedQueue<>();

    FaultInjector(
            RunPlan plan,
            Deployment deployment,
            RunTimeline timeline,
            RequestSchedule requests,
            Consumer<RunEvent> listener) {
        this.plan = plan;
        this.deployment = deployment;
        this.timeline = timeline;
        this.listener = listener;
        this.background = deployment.background();
        this.breakpoint = new HolderBreakpoint(deployment, timeline, requests);
    }

    /**
     * Injects a fault, unless another one is in progress: two at a time could start a server twice or hit the same
     * holder.
     *
     * @param pause duration of {@link RunFault#PAUSE_HOLDER}
     * @throws ConflictException without a target
     */
    Interference perform(RunFault fault, Duration pause) {
        return deployment
                .alone(() -> performAlone(fault, pause))
                .orElseThrow(() -> new ConflictException("Another fault is in progress. Wait until it ends"));
    }

    private Interference performAlone(RunFault fault, Duration pause) {
        try {
            return switch (fault) {
                case PAUSE_HOLDER -> stopHolder(fault, pause);
                case STOP_HOLDER -> stopHolder(fault, STOP);
                case KILL_HOLDER -> killHolder();
                case DELETE_KEY -> deleteKey();
                case RESTART_REDIS -> report(fault, null, restart());
                case FAIL_OVER -> report(fault, null, locks().failOver(key(), 1));
                case FAIL_OVER_TWICE -> failOverTwice();
                case MOVE_CLOCK -> report(fault, null, locks().moveClock(JUMP));
            };
        } catch (UnsupportedOperationException impossible) {
            throw new ConflictException(String.valueOf(impossible.getMessage()), impossible);
        } catch (RedisException away) {
            throw new ConflictException("Redis does not answer at the moment: " + away.getMessage(), away);
        }
    }

    /** Faults so far, described for users; waits for one in progress. */
    List<String> done() {
        return deployment.undisturbed(() -> List.copyOf(done));
    }

    private LockServers locks() {
        return deployment.locks(plan.variant());
    }

    private String key() {
        return plan.variant().lockKey(plan.page());
    }

    private String restart() {
        LockServers servers = plan.variant().isLocked() ? locks() : deployment.data();
        return servers.restart(key());
    }

    private Interference stopHolder(RunFault fault, Duration pause) {
        InstanceProcess holder = breakpoint.haltHolder();
        timeline.watch(TakeoverWatch.ofStopped(holder.name(), timeline.now(), this::report));
        holder.pause();
        background.schedule(() -> resume(holder), pause.toMillis(), TimeUnit.MILLISECONDS);
        return report(
                fault,
                holder,
                "Instance " + holder.name() + " was paused in the critical section (SIGSTOP) for " + pause.toMillis()
                        + " ms");
    }

    private void resume(InstanceProcess instance) {
        if (instance.resume()) {
            report("resume", instance.name(), "Instance " + instance.name() + " continues (SIGCONT)");
            proceed(instance, LOSS_DETECTION);
        }
    }

    private void proceed(InstanceProcess instance, Duration after) {
        background.schedule(() -> breakpoint.proceed(instance), after.toMillis(), TimeUnit.MILLISECONDS);
    }

    private Interference killHolder() {
        InstanceProcess holder = breakpoint.haltHolder();
        timeline.watch(TakeoverWatch.ofKilled(holder.name(), timeline.now(), this::report));
        holder.kill();
        timeline.killed(holder.name());
        background.schedule(() -> replace(holder), REPLACEMENT.toMillis(), TimeUnit.MILLISECONDS);
        return report(
                RunFault.KILL_HOLDER,
                holder,
                "Instance " + holder.name() + " was killed in the critical section (kill -9)");
    }

    private void replace(InstanceProcess instance) {
        try {
            instance.replace();
            report("start", instance.name(), "Instance " + instance.name() + " was restarted");
        } catch (RuntimeException failure) {
            if (deployment.isClosed()) {
                return;
            }
            report("start", instance.name(), "Instance " + instance.name() + " could not be restarted");
            log.warn("Instance {} could not be restarted", instance.name(), failure);
        }
    }

    private Interference deleteKey() {
        LockServers locks = locks();
        InstanceProcess holder = breakpoint.haltHolder();
        timeline.next(InstanceEvent.Lost.class).thenRun(() -> proceed(holder, REACQUISITION));
        locks.delete(key());
        return report(
                RunFault.DELETE_KEY,
                holder,
                "The key of the lock was deleted in Redis while instance " + holder.name() + " held it");
    }

    /** The holder stays in its section during both failovers, unless they take unusually long. */
    private Interference failOverTwice() {
        locks().requireReplicas();
        InstanceProcess holder = breakpoint.haltHolder();
        try {
            String text = locks().failOver(key(), 2);
            return report(
                    RunFault.FAIL_OVER_TWICE,
                    null,
                    text + ". Instance " + holder.name() + " had the lock at the first kill");
        } finally {
            breakpoint.proceed(holder);
        }
    }

    private void report(TakeoverWatch.Finding finding) {
        done.add(finding.text());
        report(finding.kind(), finding.instance(), finding.text());
    }

    private Interference report(RunFault fault, @Nullable InstanceProcess instance, String text) {
        done.add(text);
        return report(KebabCase.of(fault), instance == null ? null : instance.name(), text);
    }

    private Interference report(String kind, @Nullable String instance, String text) {
        Interference event = new Interference(timeline.now(), kind, instance, text);
        listener.accept(event);
        return event;
    }
}
