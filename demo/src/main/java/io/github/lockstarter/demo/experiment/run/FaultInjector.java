package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.Instance;
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

/**
 * Interferes with a run. What follows a fault by itself (an instance goes on, another one starts) is done in the
 * background.
 */
final class FaultInjector {

    /** A killed holder is replaced after it, so that others are seen to wait for the lock. */
    private static final Duration REPLACEMENT = Duration.ofMillis(500);

    /** Twice as long as a crash take-over takes, and shorter than the lease of the instances. */
    private static final Duration STOP = Duration.ofSeconds(3);

    /** For one that goes on to learn that its lock is lost before it writes. */
    private static final Duration UNTIL_LOSS_IS_KNOWN = Duration.ofMillis(200);

    /** For others to find a deleted lock after its holder was told of the loss. */
    private static final Duration UNTIL_LOCK_IS_FOUND = Duration.ofSeconds(1);

    /** Longer than any lease, also the 30 s that are usual. */
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
            RunPlan plan, Deployment deployment, RunTimeline timeline, Requests requests, Consumer<RunEvent> listener) {
        this.plan = plan;
        this.deployment = deployment;
        this.timeline = timeline;
        this.listener = listener;
        this.background = deployment.background();
        this.breakpoint = new HolderBreakpoint(deployment, timeline, requests);
    }

    /**
     * Does it, unless another fault is under way: two at a time would start a server twice, or hit the same holder.
     *
     * @param fault what to do
     * @param pause how long {@link Fault#PAUSE_HOLDER} lasts
     * @return what was done
     * @throws ConflictException when there is nothing to hit
     */
    Interference perform(Fault fault, Duration pause) {
        return deployment
                .alone(() -> performAlone(fault, pause))
                .orElseThrow(() -> new ConflictException("Another fault is in progress. Wait until it ends"));
    }

    private Interference performAlone(Fault fault, Duration pause) {
        try {
            return switch (fault) {
                case PAUSE_HOLDER -> stopHolder(fault, pause);
                case STOP_HOLDER -> stopHolder(fault, STOP);
                case KILL_HOLDER -> killHolder();
                case DELETE_KEY -> deleteKey();
                case RESTART_REDIS -> tell(fault, null, restart());
                case FAIL_OVER -> tell(fault, null, locks().failOver(key(), 1));
                case FAIL_OVER_TWICE -> failOverTwice();
                case MOVE_CLOCK -> tell(fault, null, locks().moveClock(JUMP));
            };
        } catch (UnsupportedOperationException impossible) {
            throw new ConflictException(String.valueOf(impossible.getMessage()), impossible);
        } catch (RedisException away) {
            throw new ConflictException("Redis does not answer at the moment: " + away.getMessage(), away);
        }
    }

    /** What was done so far, in words; a fault that is under way is part of it. */
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

    private Interference stopHolder(Fault fault, Duration pause) {
        Instance holder = breakpoint.haltHolder();
        timeline.watch(TakeOverWatch.ofStopped(holder.name(), timeline.now(), this::tell));
        holder.pause();
        background.schedule(() -> resume(holder), pause.toMillis(), TimeUnit.MILLISECONDS);
        return tell(
                fault,
                holder,
                "Instance " + holder.name() + " was paused in the critical section (SIGSTOP) for " + pause.toMillis()
                        + " ms");
    }

    private void resume(Instance instance) {
        if (instance.resume()) {
            tell("resume", instance.name(), "Instance " + instance.name() + " continues (SIGCONT)");
            goOn(instance, UNTIL_LOSS_IS_KNOWN);
        }
    }

    private void goOn(Instance instance, Duration after) {
        background.schedule(() -> breakpoint.goOn(instance), after.toMillis(), TimeUnit.MILLISECONDS);
    }

    private Interference killHolder() {
        Instance holder = breakpoint.haltHolder();
        timeline.watch(TakeOverWatch.ofKilled(holder.name(), timeline.now(), this::tell));
        holder.kill();
        timeline.killed(holder.name());
        background.schedule(() -> replace(holder), REPLACEMENT.toMillis(), TimeUnit.MILLISECONDS);
        return tell(
                Fault.KILL_HOLDER,
                holder,
                "Instance " + holder.name() + " was killed in the critical section (kill -9)");
    }

    private void replace(Instance instance) {
        try {
            instance.replace();
            tell("start", instance.name(), "Instance " + instance.name() + " was restarted");
        } catch (RuntimeException failure) {
            if (deployment.isClosed()) {
                return;
            }
            tell("start", instance.name(), "Instance " + instance.name() + " could not be restarted");
            log.warn("Instance {} could not be restarted", instance.name(), failure);
        }
    }

    private Interference deleteKey() {
        LockServers locks = locks();
        Instance holder = breakpoint.haltHolder();
        timeline.next(InstanceEvent.Lost.class).thenRun(() -> goOn(holder, UNTIL_LOCK_IS_FOUND));
        locks.delete(key());
        return tell(
                Fault.DELETE_KEY,
                holder,
                "The key of the lock was deleted in Redis while instance " + holder.name() + " held it");
    }

    /** The holder is in its section over both failovers, unless they take much longer than usual. */
    private Interference failOverTwice() {
        locks().requireReplicas();
        Instance holder = breakpoint.haltHolder();
        try {
            String text = locks().failOver(key(), 2);
            return tell(
                    Fault.FAIL_OVER_TWICE,
                    null,
                    text + ". Instance " + holder.name() + " had the lock at the first kill");
        } finally {
            breakpoint.goOn(holder);
        }
    }

    private void tell(TakeOverWatch.Finding finding) {
        done.add(finding.text());
        tell(finding.kind(), finding.instance(), finding.text());
    }

    private Interference tell(Fault fault, @Nullable Instance instance, String text) {
        done.add(text);
        return tell(KebabCase.of(fault), instance == null ? null : instance.name(), text);
    }

    private Interference tell(String kind, @Nullable String instance, String text) {
        Interference event = new Interference(timeline.now(), kind, instance, text);
        listener.accept(event);
        return event;
    }
}
