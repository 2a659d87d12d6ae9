package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Lock.Owner;
import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.function.BiConsumer;

/** Steps of takers at each server. A mailbox may lose its connection at any time, so any look may find none. */
final class TakerSteps implements CrashTakeoverModel.Steps {

    private final Rules rules;

    TakerSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        for (int server = Servers.FIRST; server <= Servers.SECOND; server++) {
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

    private void looked(World world, int server, BiConsumer<Step, World> found) {
        Server at = world.servers().at(server);
        Mark mark = at.mark();
        if (!at.hasLockOfInstance()) {
            return;
        }
        if (!mark.exists()) {
            boolean repeats = at.trace().exists() && !rules.keeps(Rule.BEGIN_IS_GREATER_THAN_TRACE);
            int begin = repeats ? at.trace().begin() : world.freshBegin();
            Mark begun = new Mark(begin, 0, world.servers().acknowledged());
            found.accept(Step.at(server, Kind.MARK), world.with(server, at.with(begun)));
        } else if (mark.age() >= rules.markAge()) {
            if (rules.areAcknowledged() && rules.keeps(Rule.TRACE_IS_ACKNOWLEDGED)) {
                traced(world, server, found);
            } else {
                taken(isTraced(at) ? world : world.with(server, traced(at)), server, found);
            }
        }
    }

    private boolean isTraced(Server at) {
        return at.trace().begin() == at.mark().begin() || !rules.keeps(Rule.TAKEOVER_LEAVES_TRACE);
    }

    private Server traced(Server at) {
        return at.with(new Trace(at.mark().begin(), rules.traceLife()));
    }

    private void traced(World world, int server, BiConsumer<Step, World> found) {
        Server at = world.servers().at(server);
        if (!isTraced(at)) {
            found.accept(Step.at(server, Kind.TRACE), world.with(server, traced(at)));
        } else if (at.mark().acknowledged()) {
            taken(world, server, found);
        } else {
            acknowledged(world, server, found);
        }
    }

    /** The trace is written once more as it is, and every replica has got this. */
    private void acknowledged(World world, int server, BiConsumer<Step, World> found) {
        Servers servers = world.servers();
        boolean alone = servers.isPromoted();
        if (server == Servers.FIRST && alone && rules.keeps(Rule.ALL_REPLICAS_ACKNOWLEDGE)) {
            return;
        }
        int begin = servers.at(server).mark().begin();
        boolean replicates = !alone && rules.has(Fault.FAILOVER);
        Servers after = (replicates ? servers.replicated() : servers).acknowledged(rules);
        found.accept(
                Step.at(server, Kind.ACKNOWLEDGE),
                world.with(after.each(each -> each.with(each.mark().acknowledged(begin)))));
    }

    private void taken(World world, int server, BiConsumer<Step, World> found) {
        for (int lock = 0; lock < rules.locks(); lock++) {
            if (world.servers().at(server).lock(lock).isOfInstance()) {
                found.accept(Step.at(server, Kind.TAKEOVER, lock), granted(world, server, lock));
            }
        }
    }

    private void acquired(World world, int server, int lock, BiConsumer<Step, World> found) {
        if (world.servers().at(server).lock(lock).isOf(Owner.NOBODY)) {
            found.accept(Step.at(server, Kind.ACQUIRE_FREE, lock), granted(world, server, lock));
        }
    }

    private void kept(World world, int server, int lock, BiConsumer<Step, World> found) {
        Server at = world.servers().at(server);
        if (at.lock(lock).isOf(Owner.TAKER)) {
            Hold hold = world.holder().hold(lock);
            found.accept(
                    Step.at(server, Kind.FREE, lock),
                    world.with(server, at.with(lock, Lock.FREE)).with(lock, hold.withTaker(0)));
            if (hold.takerLeft() > 0 && !world.servers().isQuiet(server, rules)) {
                found.accept(Step.at(server, Kind.RENEW, lock), world.with(lock, hold.withTaker(takerLeft())));
            }
        }
    }

    private World granted(World world, int server, int lock) {
        Server granted = world.servers().at(server).with(lock, Lock.TAKEN);
        return world.with(server, granted).with(lock, world.holder().hold(lock).taken(takerLeft()));
    }

    /** Without new holds, only whether a taker has had the lock matters. */
    private int takerLeft() {
        return rules.has(Fault.NEW_HOLDS) ? rules.lease() : 0;
    }
}
