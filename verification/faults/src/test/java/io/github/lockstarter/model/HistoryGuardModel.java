package io.github.lockstarter.model;

import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The protocol of the history guard with two clients and one lock. A violation is two holds at a time (I1), or a hold
 * whose fencing token is not above all earlier ones (I2).
 *
 * <p>If clocks of servers may differ, I2 is weaker: a grant must exceed the holds that its server has granted, renewed
 * or reclaimed. Nothing can exceed a token that neither the server nor the client has ever seen. In this case there is
 * at most one failover.
 */
final class HistoryGuardModel implements TransitionSystem<SystemState, SystemStep> {

    private final Rules rules;
    private final Faults faults;
    private final ScriptEffects scripts;
    private final int forgotten;
    private final Set<Invariant> invariants;
    private final boolean clocksAgree;
    private final boolean mayDelay;
    private final Canonical canonical;

    HistoryGuardModel(Rules rules, Faults faults, Set<Invariant> invariants) {
        this.invariants = invariants;
        this.rules = rules;
        this.faults = faults;
        this.scripts = new ScriptEffects(rules);
        this.forgotten = Fencing.forgotten(Math.max(faults.clockBehind(), oldestCompared(rules, faults)));
        this.clocksAgree = faults.clockBehind() == 0;
        this.mayDelay = faults.has(Faults.Kind.LATE_ANSWER);
        this.canonical = new Canonical(
                invariants.contains(Invariant.FENCING) || rules.has(Variation.RECLAIM_FROM_OLDER), forgotten);
    }

    /** Tokens granted before this number of ticks need not be distinguished if clocks agree. */
    static int oldestCompared(Rules rules, Faults faults) {
        if (rules.has(Variation.RECLAIM_FROM_OLDER)) {
            return rules.grace() + rules.lease();
        }
        // A counter that was lost is below the tokens from before the loss also when grants begin again.
        boolean mayLoseCounter = faults.has(Faults.Kind.FLUSH)
                || faults.has(Faults.Kind.EMPTY_RESTART)
                || rules.has(Variation.NOTE_OF_ANY_LOOK);
        return mayLoseCounter ? rules.grace() : 0;
    }

    @Override
    public SystemState initial() {
        boolean fresh = faults.has(Faults.Kind.FRESH);
        Marker marker = fresh ? Marker.NONE : new Marker(Marker.GONE, rules.oldAge(), false, false);
        Client client = Client.whoKnows(marker.id());
        ServerData server = new ServerData(Owner.NOBODY, 0, Fencing.NONE, forgotten, marker, false, Marker.UNKNOWN, 0);
        return new SystemState(server, server, Optional.empty(), 0, client, client, forgotten, false);
    }

    @Override
    public boolean isViolation(SystemState world) {
        return (invariants.contains(Invariant.EXCLUSION)
                        && world.a().holds()
                        && world.b().holds())
                || (invariants.contains(Invariant.FENCING) && world.disordered());
    }

    @Override
    public void steps(SystemState world, BiConsumer<SystemStep, SystemState> found) {
        BiConsumer<SystemStep, SystemState> canonically = (step, next) -> found.accept(step, canonical.of(next));
        canonically.accept(SystemStep.of(SystemStep.Kind.TICK), world.tick(rules, forgotten));
        serverSteps(world, canonically);
        for (int client = 0; client < 2; client++) {
            clientSteps(world, client, canonically);
            execution(world, client, false, canonically);
            if (world.deposed().isPresent()) {
                execution(world, client, true, canonically);
            }
        }
    }

    private void serverSteps(SystemState world, BiConsumer<SystemStep, SystemState> found) {
        ServerData master = world.master();
        ServerData copy = rules.has(Variation.NOTE_ON_REPLICA) ? master : master.withoutNote();
        if (!world.replica().equals(copy)) {
            found.accept(SystemStep.of(SystemStep.Kind.REPLICATE), world.withReplica(copy));
        }
        if (faults.has(Faults.Kind.FAILOVER) && (clocksAgree || !master.promoted())) {
            int highest = clocksAgree ? world.highest() : forgotten;
            found.accept(
                    SystemStep.of(SystemStep.Kind.FAILOVER),
                    world.promoted(faults.window(), -faults.clockBehind(), highest));
        }
        if (faults.has(Faults.Kind.FLUSH)) {
            ServerData empty = master.emptied(forgotten);
            boolean keepsNote = rules.has(Variation.NOTE_OUTLIVES_DATA);
            found.accept(
                    SystemStep.of(SystemStep.Kind.FLUSH), world.withMaster(keepsNote ? empty : empty.withoutNote()));
        }
        if (faults.has(Faults.Kind.EMPTY_RESTART)) {
            ServerData empty = master.emptied(forgotten).restarted();
            found.accept(
                    SystemStep.of(SystemStep.Kind.EMPTY_RESTART),
                    world.withMaster(empty).withReplica(empty));
        }
        if (faults.has(Faults.Kind.NEWCOMER)) {
            ServerData asked = scripts.acquireAnother(master, master.marker().id());
            if (!Fencing.isAhead(asked.fence())) {
                found.accept(SystemStep.of(SystemStep.Kind.NEWCOMER), world.withMaster(asked));
            }
        }
    }

    private void clientSteps(SystemState world, int index, BiConsumer<SystemStep, SystemState> found) {
        Client client = world.client(index);
        switch (client.phase()) {
            case IDLE ->
                found.accept(
                        SystemStep.of(SystemStep.Kind.ACQUIRE, index),
                        world.with(index, client.acquires(Owner.fresh(index))));
            case HOLDING ->
                found.accept(SystemStep.of(SystemStep.Kind.RENEW, index), world.with(index, client.renews()));
            case ACQUIRING, RENEWING -> {
                if (client.reply().isPresent()) {
                    found.accept(
                            SystemStep.of(SystemStep.Kind.RECEIVE, index),
                            world.with(index, client.receives(rules.lease())));
                } else if (client.ghost().isPresent()) {
                    found.accept(
                            SystemStep.of(SystemStep.Kind.GIVE_UP, index), world.with(index, client.givesUpLost()));
                }
                found.accept(SystemStep.of(SystemStep.Kind.GIVE_UP, index), world.with(index, client.givesUp()));
            }
        }
        if (client.holds()) {
            found.accept(SystemStep.of(SystemStep.Kind.RELEASE, index), world.with(index, client.releases()));
        }
        if (faults.has(Faults.Kind.CLIENT_RESTART)) {
            found.accept(SystemStep.of(SystemStep.Kind.CLIENT_RESTART, index), world.with(index, client.restarts()));
        }
    }

    private void execution(SystemState world, int index, boolean atDeposed, BiConsumer<SystemStep, SystemState> found) {
        Client client = world.client(index);
        if (client.isAsking()) {
            SentCommand request = client.request();
            Answer answer = scripts.execute(server(world, atDeposed), request);
            SystemState executed = executed(world, atDeposed, request, answer);
            if (!Fencing.isAhead(answer.fencing())) {
                Client answered =
                        client.isAnswered(new PendingReply(answer.outcome(), answer.fencing(), answer.marker()));
                found.accept(
                        new SystemStep(SystemStep.Kind.EXECUTE, index, atDeposed),
                        executed.with(
                                index, mayDelay && answer.givesLease() ? answered : answered.receives(rules.lease())));
                if (!client.repeated()) {
                    found.accept(
                            new SystemStep(SystemStep.Kind.EXECUTE_ANSWER_LOST, index, atDeposed),
                            executed.with(index, client.repeats()));
                }
            }
        }
        if (client.ghost().isPresent()) {
            SentCommand request = client.ghost().get();
            Answer answer = scripts.execute(server(world, atDeposed), request);
            if (!Fencing.isAhead(answer.fencing())) {
                found.accept(
                        new SystemStep(SystemStep.Kind.EXECUTE_GHOST, index, atDeposed),
                        executed(world, atDeposed, request, answer).with(index, client.withGhost(Optional.empty())));
            }
        }
    }

    private static ServerData server(SystemState world, boolean atDeposed) {
        return atDeposed ? world.deposed().orElseThrow() : world.master();
    }

    /** Fencing tokens are compared when they are granted, even if the client never receives them. */
    private SystemState executed(SystemState world, boolean atDeposed, SentCommand request, Answer answer) {
        SystemState after = atDeposed ? world.withDeposed(answer.server()) : world.withMaster(answer.server());
        if (answer.isNew() && (clocksAgree || !atDeposed)) {
            return after.granted(answer.fencing());
        }
        boolean learnt = answer.outcome() == ScriptOutcome.RENEWED && !clocksAgree && !atDeposed;
        return learnt ? after.exceeding(request.fencing()) : after;
    }
}
