package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.LockData.Owner;
import io.github.lockstarter.model.takeover.TakeoverStep.Kind;
import java.util.function.BiConsumer;

/** Requests of the holder and answers of servers. */
final class HoldSteps implements CrashTakeoverModel.Steps {

    private final TakeoverRules rules;

    HoldSteps(TakeoverRules rules) {
        this.rules = rules;
    }

    @Override
    public void of(TakeoverState world, BiConsumer<TakeoverStep, TakeoverState> found) {
        for (int lock = 0; lock < rules.locks(); lock++) {
            if (!world.holder().hold(lock).request().isUnderWay()) {
                sent(world, lock, found);
            } else {
                if (rules.has(TakeoverFault.LATE_EXECUTION)) {
                    executed(world, lock, found);
                }
                answered(world, lock, found);
            }
            if (rules.has(TakeoverFault.NEW_HOLDS)) {
                released(world, lock, found);
            }
        }
    }

    private void sent(TakeoverState world, int lock, BiConsumer<TakeoverStep, TakeoverState> found) {
        TakeoverHold hold = world.holder().hold(lock);
        if (hold.exists() || rules.has(TakeoverFault.NEW_HOLDS)) {
            PendingCommand request = PendingCommand.sent(world.holder().heartbeat());
            TakeoverState sent = world.with(lock, hold.with(request));
            if (rules.has(TakeoverFault.LATE_EXECUTION)) {
                found.accept(TakeoverStep.of(hold.exists() ? Kind.SEND_RENEWAL : Kind.SEND_ACQUIRE, lock), sent);
            } else {
                executed(sent, lock, found);
            }
        }
    }

    /** Perhaps not for the first time. */
    private void executed(TakeoverState world, int lock, BiConsumer<TakeoverStep, TakeoverState> found) {
        TakeoverHold hold = world.holder().hold(lock);
        for (int server = ServerPair.FIRST; server <= ServerPair.SECOND; server++) {
            if (!world.servers().executes(server)) {
                continue;
            }
            LockData there = world.servers().at(server).lock(lock);
            if (mayGrant(world.servers(), server, there, hold)) {
                granted(world, server, lock, found);
            } else if (hold.exists() && !there.isOf(Owner.HOLDER) && rules.has(TakeoverFault.NEW_HOLDS)) {
                found.accept(TakeoverStep.at(server, Kind.REFUSE, lock), world.withoutHold(lock));
            }
        }
    }

    /** A renewal reclaims in the grace, an attempt is granted after it. */
    private boolean mayGrant(ServerPair servers, int server, LockData there, TakeoverHold hold) {
        boolean young = servers.isYoung(server, rules);
        boolean deferred = hold.exists() && servers.isQuiet(server, rules);
        boolean free = there.isOf(Owner.NOBODY) && hold.exists() == young;
        return !deferred && (there.isOf(Owner.HOLDER) || free);
    }

    private void granted(TakeoverState world, int server, int lock, BiConsumer<TakeoverStep, TakeoverState> found) {
        TakeoverHold hold = world.holder().hold(lock);
        boolean renews = hold.exists();
        TakeoverServer at = world.servers().at(server);
        TakeoverServer after = at.with(lock, granted(at.lock(lock), renews));
        TakeoverHold granted = renews ? hold : hold.begun();
        found.accept(
                TakeoverStep.at(server, renews ? Kind.GRANT_RENEWAL : Kind.GRANT_ACQUIRE, lock),
                world.with(server, after).with(lock, granted.with(hold.request().grantedBy(server))));
    }

    private LockData granted(LockData lock, boolean renews) {
        if (renews && rules.has(TakeoverFault.RENEWAL_OFF)) {
            return LockData.ofHolder(Math.max(lock.left(), 1));
        }
        return renews || lock.isOf(Owner.NOBODY) ? LockData.ofHolder(rules.lease()) : lock;
    }

    private void answered(TakeoverState world, int lock, BiConsumer<TakeoverStep, TakeoverState> found) {
        TakeoverHold hold = world.holder().hold(lock);
        if (hold.request().isGranted()) {
            TakeoverHold confirmed = hold.confirmed(world.holder().heartbeat(), rules);
            found.accept(TakeoverStep.of(Kind.RECEIVE, lock), world.with(lock, confirmed));
        }
        TakeoverState givenUp =
                hold.exists() ? world.with(lock, hold.with(PendingCommand.NONE)) : world.withoutHold(lock);
        found.accept(TakeoverStep.of(Kind.GIVE_UP, lock), givenUp);
    }

    private void released(TakeoverState world, int lock, BiConsumer<TakeoverStep, TakeoverState> found) {
        if (world.holder().hold(lock).exists()) {
            found.accept(TakeoverStep.of(Kind.RELEASE, lock), world.withoutHold(lock));
        }
        for (int server = ServerPair.FIRST; server <= ServerPair.SECOND; server++) {
            TakeoverServer at = world.servers().at(server);
            if (world.servers().executes(server) && at.lock(lock).isOf(Owner.FORMER)) {
                found.accept(
                        TakeoverStep.at(server, Kind.EXECUTE_RELEASE, lock),
                        world.with(server, at.with(lock, LockData.FREE)));
            }
        }
    }
}
