package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Lock.Owner;
import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.function.BiConsumer;

/** What the taker does at each server, and the failover. */
final class TakerSteps implements CrashTakeOverModel.Steps {

    private final Rules rules;

    TakerSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        for (int server = Servers.FIRST; server <= Servers.SECOND; server++) {
            if (world.servers().executes(server)) {
                asked(world, server, found);
            }
        }
        if (rules.has(Fault.FAILOVER) && !world.servers().isPromoted()) {
            failover(world, found);
        }
    }

    private static void failover(World world, BiConsumer<Step, World> found) {
        Servers servers = world.servers();
        if (!servers.first().equals(servers.second()) || servers.unacknowledged()) {
            found.accept(Step.of(Kind.REPLICATE), world.with(servers.replicated()));
        }
        found.accept(Step.of(Kind.PROMOTE), world.with(servers.promoted()));
    }

    private void asked(World world, int server, BiConsumer<Step, World> found) {
        Servers servers = world.servers();
        Lock lock = servers.lock(server);
        if (lock.takesPart()) {
            if (!world.detection().isHeardAt(server)) {
                unheard(world, server, found);
            }
        } else if (lock.isOf(Owner.NOBODY)) {
            if (!servers.isYoung(server, rules)) {
                found.accept(Step.at(server, Kind.ACQUIRE_FREE), granted(world, server));
            }
        } else {
            kept(world, server, found);
        }
    }

    private void kept(World world, int server, BiConsumer<Step, World> found) {
        Servers servers = world.servers();
        if (servers.takerLeft() > 0 && !servers.isQuiet(server, rules)) {
            Servers renewed = servers.with(server, servers.lock(server).lasting(rules.lease()));
            found.accept(Step.at(server, Kind.RENEW), world.with(renewed.withTaker(rules.lease(), false)));
        }
        if (servers.takerLeft() > 0 || servers.unacknowledged()) {
            Servers freed = servers.with(server, servers.lock(server).freed(rules));
            found.accept(Step.at(server, Kind.FREE), world.with(freed.withTaker(0, false)));
        }
    }

    private void unheard(World world, int server, BiConsumer<Step, World> found) {
        Servers servers = world.servers();
        Lock lock = servers.lock(server);
        boolean young = servers.isYoung(server, rules);
        boolean marks = !young || !rules.keeps(Rule.NO_MARK_IN_GRACE);
        boolean takesOver = !young || !rules.keeps(Rule.NO_TAKE_OVER_IN_GRACE);
        if (!lock.isMarked() && marks) {
            found.accept(Step.at(server, Kind.MARK), world.with(servers.with(server, lock.marked())));
        }
        if (lock.isMarked() && lock.mark() >= rules.markAge() && takesOver) {
            found.accept(Step.at(server, Kind.TAKE_OVER), granted(world, server));
        }
    }

    private World granted(World world, int server) {
        Servers servers = world.servers();
        Servers granted = servers.with(server, servers.lock(server).granted(Owner.TAKER, rules));
        boolean counts = server == Servers.SECOND || !rules.keeps(Rule.GRANTS_ARE_ACKNOWLEDGED);
        World seen = counts ? world.with(world.hold().withTaker()) : world;
        return seen.with(
                counts ? granted.withTaker(rules.lease(), false) : granted.withTaker(0, !servers.isPromoted()));
    }
}
