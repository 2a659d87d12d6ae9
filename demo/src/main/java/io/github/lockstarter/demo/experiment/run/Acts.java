package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.run.RunEvent.Acted;
import io.github.lockstarter.demo.experiment.stage.Instance;
import io.github.lockstarter.demo.experiment.stage.Stage;
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
 * Interferes with a run. What follows an act by itself (an instance goes on, another one starts) is done in the
 * background.
 */
final class Acts {

    /** A killed holder is replaced after it, so that others are seen to wait for the lock. */
    private static final Duration REPLACEMENT = Duration.ofMillis(500);

    /** Twice as long as a crash take-over takes, and shorter than the lease of the instances. */
    private static final Duration STOP = Duration.ofSeconds(3);

    /** For one that goes on to hear that its lock is lost before it writes. */
    private static final Duration HEARING = Duration.ofMillis(200);

    /** For others to find a deleted lock after its holder was told of the loss. */
    private static final Duration FINDING = Duration.ofSeconds(1);

    /** Longer than any lease, also the 30 s that are usual. */
    private static final Duration JUMP = Duration.ofSeconds(31);

    private static final Logger log = LoggerFactory.getLogger(Acts.class);

    private final RunPlan plan;
    private final Stage stage;
    private final RunTimeline timeline;
    private final Consumer<RunEvent> listener;
    private final ScheduledExecutorService background;
    private final Breakpoint breakpoint;
    private final Queue<String> done = new ConcurrentLinkedQueue<>();

    Acts(RunPlan plan, Stage stage, RunTimeline timeline, Requests requests, Consumer<RunEvent> listener) {
        this.plan = plan;
        this.stage = stage;
        this.timeline = timeline;
        this.listener = listener;
        this.background = stage.background();
        this.breakpoint = new Breakpoint(stage, timeline, requests);
    }

    /**
     * Does it, unless another act is under way: two at a time would start a server twice, or hit the same holder.
     *
     * @param act what
     * @param pause how long {@link Act#PAUSE_HOLDER} lasts
     * @return what was done
     * @throws ActRefusedException when there is nothing to hit
     */
    Acted perform(Act act, Duration pause) {
        return stage.alone(() -> performAlone(act, pause))
                .orElseThrow(() -> new ActRefusedException("Another act is under way. Wait for its end"));
    }

    private Acted performAlone(Act act, Duration pause) {
        try {
            return switch (act) {
                case PAUSE_HOLDER, STOP_HOLDER -> stopHolder(act, act == Act.STOP_HOLDER ? STOP : pause);
                case KILL_HOLDER -> killHolder();
                case DELETE_KEY -> deleteKey();
                case RESTART_REDIS -> tell(act, null, stage.restartRedis(plan.variant(), plan.page()));
                case FAIL_OVER -> tell(act, null, stage.failOver(plan.variant(), plan.page(), 1));
                case FAIL_OVER_TWICE -> failOverTwice();
                case MOVE_CLOCK -> tell(act, null, stage.moveClock(plan.variant(), JUMP));
            };
        } catch (UnsupportedOperationException impossible) {
            throw new ActRefusedException(String.valueOf(impossible.getMessage()), impossible);
        } catch (RedisException away) {
            throw new ActRefusedException("Redis does not answer just now: " + away.getMessage(), away);
        }
    }

    /** What was done so far, in words; an act that is under way is part of it. */
    List<String> done() {
        return stage.undisturbed(() -> List.copyOf(done));
    }

    private Acted stopHolder(Act act, Duration pause) {
        Instance holder = breakpoint.haltHolder();
        timeline.watch(Succession.ofStopped(holder.name(), timeline.now(), this::tell));
        holder.pause();
        background.schedule(() -> resume(holder), pause.toMillis(), TimeUnit.MILLISECONDS);
        return tell(
                act,
                holder,
                "Instance " + holder.name() + " was stopped in the critical section (SIGSTOP) for " + pause.toMillis()
                        + " ms");
    }

    private void resume(Instance instance) {
        if (instance.resume()) {
            tell("resume", instance, "Instance " + instance.name() + " goes on (SIGCONT)");
            goOn(instance, HEARING);
        }
    }

    private void goOn(Instance instance, Duration after) {
        background.schedule(() -> breakpoint.goOn(instance), after.toMillis(), TimeUnit.MILLISECONDS);
    }

    private Acted killHolder() {
        Instance holder = breakpoint.haltHolder();
        timeline.watch(Succession.ofKilled(holder.name(), timeline.now(), this::tell));
        holder.kill();
        timeline.killed(holder.name());
        background.schedule(() -> replace(holder), REPLACEMENT.toMillis(), TimeUnit.MILLISECONDS);
        return tell(
                Act.KILL_HOLDER, holder, "Instance " + holder.name() + " was killed in the critical section (kill -9)");
    }

    private void replace(Instance instance) {
        try {
            instance.replace();
            tell("start", instance, "Instance " + instance.name() + " was started again");
        } catch (RuntimeException failure) {
            if (background.isShutdown()) {
                return;
            }
            tell("start", instance, "Instance " + instance.name() + " could not be started again");
            log.warn("Instance {} could not be started again", instance.name(), failure);
        }
    }

    private Acted deleteKey() {
        stage.checkLock(plan.variant());
        Instance holder = breakpoint.haltHolder();
        timeline.next(InstanceEvent.Lost.class).thenRun(() -> goOn(holder, FINDING));
        stage.deleteKey(plan.variant(), plan.page());
        return tell(
                Act.DELETE_KEY,
                holder,
                "The key of the lock was deleted in Redis while instance " + holder.name() + " held it");
    }

    /** The holder is in its section over both failovers, unless they take much longer than usual. */
    private Acted failOverTwice() {
        stage.requireReplicas(plan.variant());
        Instance holder = breakpoint.haltHolder();
        try {
            String text = stage.failOver(plan.variant(), plan.page(), 2);
            return tell(
                    Act.FAIL_OVER_TWICE,
                    null,
                    text + ". Instance " + holder.name() + " had the lock at the first kill");
        } finally {
            breakpoint.goOn(holder);
        }
    }

    private void tell(Succession.Finding finding) {
        done.add(finding.text());
        listener.accept(new Acted(timeline.now(), finding.act(), finding.instance(), finding.text()));
    }

    private Acted tell(Act act, @Nullable Instance instance, String text) {
        done.add(text);
        return tell(act.id(), instance, text);
    }

    private Acted tell(String act, @Nullable Instance instance, String text) {
        Acted event = new Acted(timeline.now(), act, instance == null ? null : instance.name(), text);
        listener.accept(event);
        return event;
    }
}
