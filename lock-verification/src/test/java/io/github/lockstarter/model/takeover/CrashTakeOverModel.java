package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.TransitionSystem;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Crash take-over with one holder, one taker and one lock. It begins with a hold that was just granted, and confirmed
 * in the present epoch.
 */
final class CrashTakeOverModel implements TransitionSystem<World, Step> {

    private final Rules rules;
    private final Predicate<World> violation;
    private final Predicate<Step.Kind> mayHappen;
    private final List<Steps> parts;

    private CrashTakeOverModel(Rules rules, Predicate<World> violation, Predicate<Step.Kind> mayHappen) {
        this.rules = rules;
        this.violation = violation;
        this.mayHappen = mayHappen;
        this.parts = List.of(
                new MailboxSteps(rules), new HeartbeatSteps(rules), new HoldSteps(rules), new TakerSteps(rules));
    }

    /** A part of what can happen. */
    interface Steps {

        /** Tells each step that is possible, and where it leads. */
        void of(World world, BiConsumer<Step, World> found);
    }

    /** A violation: the holder is certain that it has the lock, and the taker has it, or has had it since the grant. */
    static CrashTakeOverModel ofExclusion(Rules rules) {
        return ofExclusion(rules, kind -> true);
    }

    /** As {@link #ofExclusion(Rules)}, with some kinds of steps alone. */
    static CrashTakeOverModel ofExclusion(Rules rules, Predicate<Step.Kind> mayHappen) {
        return new CrashTakeOverModel(
                rules,
                world -> world.isCertain(rules)
                        && (world.servers().takerLeft() > 0
                                || world.hold().doubt().hadTaker()),
                mayHappen);
    }

    /** The holder does nothing. A violation is a tick in which the taker has the lock before the lease is over. */
    static CrashTakeOverModel ofSilence(Rules rules, Predicate<Step.Kind> mayHappen) {
        return new CrashTakeOverModel(
                rules,
                world -> world.servers().takerLeft() > 0 && world.hold().exists(),
                kind -> kind.actor() != Step.Actor.HOLDER && mayHappen.test(kind));
    }

    @Override
    public World initial() {
        Lock granted = Lock.FREE.granted(Lock.Owner.HOLDER, rules);
        Servers servers = new Servers(granted, Lock.FREE, Servers.NEVER, rules.window(), 0, 0, false);
        return new World(servers, Detection.alive(), new Hold(rules.lease(), 0, true, Hold.Doubt.NONE, Request.NONE));
    }

    @Override
    public boolean isViolation(World world) {
        return violation.test(world);
    }

    @Override
    public void steps(World world, BiConsumer<Step, World> found) {
        BiConsumer<Step, World> possible = (step, next) -> {
            if (mayHappen.test(step.kind()) && mayMatter(next)) {
                found.accept(step, next);
            }
        };
        if (world.servers().mayWait(rules)) {
            possible.accept(Step.of(Step.Kind.TICK), world.tick(rules));
        }
        parts.forEach(part -> part.of(world, possible));
    }

    /** Nothing that follows the end of the only hold, or of its certainty for good, can be a violation. */
    private boolean mayMatter(World world) {
        Hold hold = world.hold();
        return rules.has(Fault.NEW_HOLDS) || (hold.exists() && !hold.doubt().undecidable());
    }
}
