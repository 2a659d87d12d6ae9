package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Lock.Owner;
import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.function.BiConsumer;

/** Requests of the holder and answers of servers. */
final class HoldSteps implements CrashTakeoverModel.Steps {

    private final Rules rules;

    HoldSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        for (int lock = 0; lock < rules.locks(); lock++) {
            if (!world.holder().hold(lock).request().isUnderWay()) {
                sent(world, lock, found);
            } else {
                if (rules.has(Fault.LATE_EXECUTION)) {
                    executed(world, lock, found);
                }
                answered(world, lock, found);
            }
            if (rules.has(Fault.NEW_HOLDS)) {
                released(world, lock, found);
            }
        }
    }

    private void sent(World world, int lock, BiConsumer<Step, World> found) {
        Hold hold = world.holder().hold(lock);
        if (hold.exists() || rules.has(Fault.NEW_HOLDS)) {
            Request request = Request.sent(world.holder().heartbeat());
            World sent = world.with(lock, hold.with(request));
            if (rules.has(Fault.LATE_EXECUTION)) {
                found.accept(Step.of(hold.exists() ? Kind.SEND_RENEWAL : Kind.SEND_ACQUIRE, lock), sent);
            } else {
                executed(sent, lock, found);
            }
        }
    }

    /** Perhaps not for the first time. */
    private void executed(World world, int lock, BiConsumer<Step, World> found) {
        Hold hold = world.holder().hold(lock);
        for (int server = Servers.FIRST; server <= Servers.SECOND; server++) {
            if (!world.servers().executes(server)) {
                continue;
            }
            Lock there = world.servers().at(server).lock(lock);
            if (mayGrant(world.servers(), server, there, hold)) {
                granted(world, server, lock, found);
            } else if (hold.exists() && !there.isOf(Owner.HOLDER) && rules.has(Fault.NEW_HOLDS)) {
                found.accept(Step.at(server, Kind.REFUSE, lock), world.withoutHold(lock));
            }
        }
    }

    /** A renewal reclaims in the grace, an attempt is granted after it. */
    private boolean mayGrant(Servers servers, int server, Lock there, Hold hold) {
        boolean young = servers.isYoung(server, rules);
        boolean deferred = hold.exists() && servers.isQuiet(server, rules);
        boolean free = there.isOf(Owner.NOBODY) && hold.exists() == young;
        return !deferred && (there.isOf(Owner.HOLDER) || free);
    }

    private void granted(World world, int server, int lock, BiConsumer<Step, World> found) {
        Hold hold = world.holder().hold(lock);
        boolean renews = hold.exists();
        Server at = world.servers().at(server);
        Server after = at.with(lock, granted(at.lock(lock), renews));
        Hold granted = renews ? hold : hold.begun();
        found.accept(
                Step.at(server, renews ? Kind.GRANT_RENEWAL : Kind.GRANT_ACQUIRE, lock),
                world.with(server, after).with(lock, granted.with(hold.request().grantedBy(server))));
    }

    private Lock granted(Lock lock, boolean renews) {
        if (renews && rules.has(Fault.RENEWAL_OFF)) {
            return Lock.ofHolder(Math.max(lock.left(), 1));
        }
        return renews || lock.isOf(Owner.NOBODY) ? Lock.ofHolder(rules.lease()) : lock;
    }

    private void answered(World world, int lock, BiConsumer<Step, World> found) {
        Hold hold = world.holder().hold(lock);
        if (hold.request().isGranted()) {
            Hold confirmed = hold.confirmed(world.holder().heartbeat(), rules);
            found.accept(Step.of(Kind.RECEIVE, lock), world.with(lock, confirmed));
        }
        World givenUp = hold.exists() ? world.with(lock, hold.with(Request.NONE)) : world.withoutHold(lock);
        found.accept(Step.of(Kind.GIVE_UP, lock), givenUp);
    }

    private void released(World world, int lock, BiConsumer<Step, World> found) {
        if (world.holder().hold(lock).exists()) {
            found.accept(Step.of(Kind.RELEASE, lock), world.withoutHold(lock));
        }
        for (int server = Servers.FIRST; server <= Servers.SECOND; server++) {
            Server at = world.servers().at(server);
            if (world.servers().executes(server) && at.lock(lock).isOf(Owner.FORMER)) {
                found.accept(Step.at(server, Kind.EXECUTE_RELEASE, lock), world.with(server, at.with(lock, Lock.FREE)));
            }
        }
    }
}
