package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.TransitionSystem;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Crash takeover with one holder and takers. It begins with holds that were just granted, and an answered beat. */
final class CrashTakeoverModel implements TransitionSystem<TakeoverState, TakeoverStep> {

    private final TakeoverRules rules;
    private final Predicate<TakeoverState> violation;
    private final List<Steps> parts;

    private CrashTakeoverModel(TakeoverRules rules, Predicate<TakeoverState> violation, List<Steps> parts) {
        this.rules = rules;
        this.violation = violation;
        this.parts = parts;
    }

    /** A part of the transitions. */
    interface Steps {

        /** Passes each possible step with its result. */
        void of(TakeoverState world, BiConsumer<TakeoverStep, TakeoverState> found);
    }

    /** A violation: a hold is certain, and a taker has the lock, or has had it since the grant of the hold. */
    static CrashTakeoverModel ofExclusion(TakeoverRules rules) {
        return new CrashTakeoverModel(
                rules,
                world -> world.isViolated(rules),
                List.of(new BeatSteps(rules), new HoldSteps(rules), new TakerSteps(rules), new ServerSteps(rules)));
    }

    /** The holder does nothing. A violation is a tick in which a taker has the lock before the lease is over. */
    static CrashTakeoverModel ofSilence(TakeoverRules rules) {
        return new CrashTakeoverModel(
                rules,
                world -> world.holder().holds().stream().anyMatch(hold -> hold.exists() && hold.hadTaker()),
                List.of(new TakerSteps(rules), new ServerSteps(rules)));
    }

    @Override
    public TakeoverState initial() {
        TakeoverServer first = TakeoverServer.empty(rules.locks());
        for (int lock = 0; lock < rules.locks(); lock++) {
            first = first.with(lock, LockData.ofHolder(rules.lease()));
        }
        ServerPair servers =
                new ServerPair(first, TakeoverServer.empty(rules.locks()), ServerPair.NEVER, rules.window(), false);
        TakeoverHold hold =
                new TakeoverHold(rules.lease(), HeartbeatState.BEGUN.period(), false, PendingCommand.NONE, 0);
        List<TakeoverHold> holds = Collections.nCopies(rules.locks(), hold);
        return new TakeoverState(servers, new Holder(HeartbeatState.BEGUN, List.of(), holds)).canonical(rules);
    }

    @Override
    public boolean isViolation(TakeoverState world) {
        return violation.test(world);
    }

    @Override
    public void steps(TakeoverState world, BiConsumer<TakeoverStep, TakeoverState> found) {
        BiConsumer<TakeoverStep, TakeoverState> possible = (step, next) -> {
            TakeoverState reduced = reduced(next);
            if (rules.has(TakeoverFault.NEW_HOLDS)
                    || reduced.holder().holds().stream().anyMatch(TakeoverHold::exists)) {
                found.accept(step, reduced.canonical(rules));
            }
        };
        possible.accept(TakeoverStep.of(TakeoverStep.Kind.TICK), world.tick(rules));
        parts.forEach(part -> part.of(world, possible));
    }

    /**
     * A hold that is void is never certain again: the holder may as well have left it. The answer to a renewal that
     * would change nothing now never will: the holder may as well have given up.
     */
    private TakeoverState reduced(TakeoverState world) {
        TakeoverState reduced = world;
        HeartbeatState heartbeat = world.holder().heartbeat();
        for (int lock = 0; lock < rules.locks(); lock++) {
            TakeoverHold hold = world.holder().hold(lock);
            if (hold.isVoid(heartbeat)) {
                reduced = reduced.withoutHold(lock);
            } else if (hold.exists() && hold.request().isGranted() && !rules.has(TakeoverFault.LATE_EXECUTION)) {
                TakeoverHold without = hold.with(PendingCommand.NONE);
                reduced = hold.confirmed(heartbeat, rules).equals(without) ? reduced.with(lock, without) : reduced;
            }
        }
        return reduced;
    }
}
