package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.LockData.Owner;
import io.github.lockstarter.model.takeover.TakeoverStep.Kind;
import java.util.function.BiConsumer;

/** Steps of takers at each server. A mailbox may lose its connection at any time, so any look may find none. */
final class TakerSteps implements CrashTakeoverModel.Steps {

    private final TakeoverRules rules;

    TakerSteps(TakeoverRules rules) {
        this.rules = rules;
    }

    @Override
    public void of(TakeoverState world, BiConsumer<TakeoverStep, TakeoverState> found) {
        for (int server = ServerPair.FIRST; server <= ServerPair.SECOND; server++) {
            if (world.servers().executes(server)) {
                boolean young = world.servers().isYoung(server, rules);
                if (!young || !rules.keeps(Rule.NO_TAKEOVER_IN_GRACE)) {
                    looked(world, server, found);
                }
                for (int lock = 0; lock < rules.locks(); lock++) {
                    if (!young) {
                        acquired(world, server, lock, found);
                    }
                    kept(world, server, lock, found);
                }
            }
        }
    }

    private void looked(TakeoverState world, int server, BiConsumer<TakeoverStep, TakeoverState> found) {
        TakeoverServer at = world.servers().at(server);
        Mark mark = at.mark();
        if (!at.hasLockOfInstance()) {
            return;
        }
        if (!mark.exists()) {
            boolean repeats = at.trace().exists() && !rules.keeps(Rule.BEGIN_IS_GREATER_THAN_TRACE);
            int begin = repeats ? at.trace().begin() : world.freshBegin();
            Mark begun = new Mark(begin, 0, world.servers().acknowledged());
            found.accept(TakeoverStep.at(server, Kind.MARK), world.with(server, at.with(begun)));
        } else if (mark.age() >= rules.markAge()) {
            if (rules.areAcknowledged() && rules.keeps(Rule.TRACE_IS_ACKNOWLEDGED)) {
                traced(world, server, found);
            } else {
                taken(isTraced(at) ? world : world.with(server, traced(at)), server, found);
            }
        }
    }

    private boolean isTraced(TakeoverServer at) {
        return at.trace().begin() == at.mark().begin() || !rules.keeps(Rule.TAKEOVER_LEAVES_TRACE);
    }

    private TakeoverServer traced(TakeoverServer at) {
        return at.with(new Trace(at.mark().begin(), rules.traceLife()));
    }

    private void traced(TakeoverState world, int server, BiConsumer<TakeoverStep, TakeoverState> found) {
        TakeoverServer at = world.servers().at(server);
        if (!isTraced(at)) {
            found.accept(TakeoverStep.at(server, Kind.TRACE), world.with(server, traced(at)));
        } else if (at.mark().acknowledged()) {
            taken(world, server, found);
        } else {
            acknowledged(world, server, found);
        }
    }

    /** The trace is written once more as it is, and every replica has got this. */
    private void acknowledged(TakeoverState world, int server, BiConsumer<TakeoverStep, TakeoverState> found) {
        ServerPair servers = world.servers();
        boolean alone = servers.isPromoted();
        if (server == ServerPair.FIRST && alone && rules.keeps(Rule.ALL_REPLICAS_ACKNOWLEDGE)) {
            return;
        }
        int begin = servers.at(server).mark().begin();
        boolean replicates = !alone && rules.has(TakeoverFault.FAILOVER);
        ServerPair after = (replicates ? servers.replicated() : servers).acknowledged(rules);
        found.accept(
                TakeoverStep.at(server, Kind.ACKNOWLEDGE),
                world.with(after.each(each -> each.with(each.mark().acknowledged(begin)))));
    }

    private void taken(TakeoverState world, int server, BiConsumer<TakeoverStep, TakeoverState> found) {
        for (int lock = 0; lock < rules.locks(); lock++) {
            if (world.servers().at(server).lock(lock).isOfInstance()) {
                found.accept(TakeoverStep.at(server, Kind.TAKEOVER, lock), granted(world, server, lock));
            }
        }
    }

    private void acquired(TakeoverState world, int server, int lock, BiConsumer<TakeoverStep, TakeoverState> found) {
        if (world.servers().at(server).lock(lock).isOf(Owner.NOBODY)) {
            found.accept(TakeoverStep.at(server, Kind.ACQUIRE_FREE, lock), granted(world, server, lock));
        }
    }

    private void kept(TakeoverState world, int server, int lock, BiConsumer<TakeoverStep, TakeoverState> found) {
        TakeoverServer at = world.servers().at(server);
        if (at.lock(lock).isOf(Owner.TAKER)) {
            TakeoverHold hold = world.holder().hold(lock);
            found.accept(
                    TakeoverStep.at(server, Kind.FREE, lock),
                    world.with(server, at.with(lock, LockData.FREE)).with(lock, hold.withTaker(0)));
            if (hold.takerLeft() > 0 && !world.servers().isQuiet(server, rules)) {
                found.accept(TakeoverStep.at(server, Kind.RENEW, lock), world.with(lock, hold.withTaker(takerLeft())));
            }
        }
    }

    private TakeoverState granted(TakeoverState world, int server, int lock) {
        TakeoverServer granted = world.servers().at(server).with(lock, LockData.TAKEN);
        return world.with(server, granted).with(lock, world.holder().hold(lock).taken(takerLeft()));
    }

    /** Without new holds, only whether a taker has had the lock matters. */
    private int takerLeft() {
        return rules.has(TakeoverFault.NEW_HOLDS) ? rules.lease() : 0;
    }
}
