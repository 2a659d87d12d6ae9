package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.TransitionSystem;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Crash takeover with one holder and takers. It begins with holds that were just granted, and an answered beat. */
final class CrashTakeoverModel implements TransitionSystem<World, Step> {

    private final Rules rules;
    private final Predicate<World> violation;
    private final List<Steps> parts;

    private CrashTakeoverModel(Rules rules, Predicate<World> violation, List<Steps> parts) {
        this.rules = rules;
        this.violation = violation;
        this.parts = parts;
    }

    /** A part of the transitions. */
    interface Steps {

        /** Passes each possible step with its result. */
        void of(World world, BiConsumer<Step, World> found);
    }

    /** A violation: a hold is certain, and a taker has the lock, or has had it since the grant of the hold. */
    static CrashTakeoverModel ofExclusion(Rules rules) {
        return new CrashTakeoverModel(
                rules,
                world -> world.isViolated(rules),
                List.of(new BeatSteps(rules), new HoldSteps(rules), new TakerSteps(rules), new ServerSteps(rules)));
    }

    /** The holder does nothing. A violation is a tick in which a taker has the lock before the lease is over. */
    static CrashTakeoverModel ofSilence(Rules rules) {
        return new CrashTakeoverModel(
                rules,
                world -> world.holder().holds().stream().anyMatch(hold -> hold.exists() && hold.hadTaker()),
                List.of(new TakerSteps(rules), new ServerSteps(rules)));
    }

    @Override
    public World initial() {
        Server first = Server.empty(rules.locks());
        for (int lock = 0; lock < rules.locks(); lock++) {
            first = first.with(lock, Lock.ofHolder(rules.lease()));
        }
        Servers servers = new Servers(first, Server.empty(rules.locks()), Servers.NEVER, rules.window(), false);
        Hold hold = new Hold(rules.lease(), Heartbeat.BEGUN.period(), false, Request.NONE, 0);
        List<Hold> holds = Collections.nCopies(rules.locks(), hold);
        return new World(servers, new Holder(Heartbeat.BEGUN, List.of(), holds)).canonical(rules);
    }

    @Override
    public boolean isViolation(World world) {
        return violation.test(world);
    }

    @Override
    public void steps(World world, BiConsumer<Step, World> found) {
        BiConsumer<Step, World> possible = (step, next) -> {
            World reduced = reduced(next);
            if (rules.has(Fault.NEW_HOLDS) || reduced.holder().holds().stream().anyMatch(Hold::exists)) {
                found.accept(step, reduced.canonical(rules));
            }
        };
        possible.accept(Step.of(Step.Kind.TICK), world.tick(rules));
        parts.forEach(part -> part.of(world, possible));
    }

    /**
     * A hold that is void is never certain again: the holder may as well have left it. The answer to a renewal that
     * would change nothing now never will: the holder may as well have given up.
     */
    private World reduced(World world) {
        World reduced = world;
        Heartbeat heartbeat = world.holder().heartbeat();
        for (int lock = 0; lock < rules.locks(); lock++) {
            Hold hold = world.holder().hold(lock);
            if (hold.isVoid(heartbeat)) {
                reduced = reduced.withoutHold(lock);
            } else if (hold.exists() && hold.request().isGranted() && !rules.has(Fault.LATE_EXECUTION)) {
                Hold without = hold.with(Request.NONE);
                reduced = hold.confirmed(heartbeat, rules).equals(without) ? reduced.with(lock, without) : reduced;
            }
        }
        return reduced;
    }
}
