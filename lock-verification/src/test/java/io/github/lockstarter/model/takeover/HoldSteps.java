package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Lock.Owner;
import io.github.lockstarter.model.takeover.Request.Phase;
import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.function.BiConsumer;

/** What the holder asks for, and what servers answer. */
final class HoldSteps implements CrashTakeOverModel.Steps {

    private final Rules rules;

    HoldSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        Request request = world.hold().request();
        if (!request.isUnderWay()) {
            sent(world, found);
        } else {
            if (request.isAsking()) {
                executed(world, found);
            } else {
                found.accept(Step.of(Kind.RECEIVE), received(world));
            }
            found.accept(Step.of(Kind.GIVE_UP), givenUp(world));
        }
        if (rules.has(Fault.NEW_HOLDS)) {
            released(world, found);
        }
    }

    private void sent(World world, BiConsumer<Step, World> found) {
        Hold hold = world.hold();
        boolean inEpoch = world.detection().epoch().exists();
        if (hold.exists()) {
            found.accept(Step.of(Kind.SEND_RENEWAL), world.with(hold.with(new Request(Phase.RENEWING, 0, inEpoch))));
        } else if (rules.has(Fault.NEW_HOLDS)) {
            found.accept(Step.of(Kind.SEND_ACQUIRE), world.with(hold.with(new Request(Phase.ACQUIRING, 0, inEpoch))));
        }
    }

    private static World givenUp(World world) {
        Hold hold = world.hold();
        return hold.exists() ? world.with(hold.with(Request.NONE)) : world.withoutHold();
    }

    private void executed(World world, BiConsumer<Step, World> found) {
        int server = world.detection().commands();
        Servers servers = world.servers();
        if (!servers.executes(server)
                || isDeferred(servers, server, world.hold().request())) {
            return;
        }
        Lock lock = servers.lock(server);
        if (lock.isOf(Owner.HOLDER) || mayGrant(servers, server, world.hold().request())) {
            boolean young = servers.isYoung(server, rules);
            Lock after = granted(lock, world.hold().request(), young);
            World granted = begun(world).with(servers.with(server, after));
            found.accept(
                    Step.at(server, Kind.GRANT),
                    answered(granted, phase(after, young && world.hold().exists())));
            found.accept(Step.at(server, Kind.GRANT_UNANSWERED), granted);
        } else if (world.hold().exists()) {
            found.accept(Step.at(server, Kind.REFUSE), answered(world, Phase.REFUSED));
        }
    }

    /** What the taker had before the grant of another hold does not matter. */
    private static World begun(World world) {
        boolean isGrant = world.hold().request().phase() == Phase.ACQUIRING;
        return isGrant ? world.with(world.hold().with(Hold.Doubt.NONE)) : world;
    }

    private boolean isDeferred(Servers servers, int server, Request request) {
        return request.phase() == Phase.RENEWING && servers.isQuiet(server, rules);
    }

    /** A renewal reclaims in the grace, an attempt is granted after it. */
    private boolean mayGrant(Servers servers, int server, Request request) {
        boolean young = servers.isYoung(server, rules);
        return servers.lock(server).isOf(Owner.NOBODY) && (request.phase() == Phase.RENEWING) == young;
    }

    private Lock granted(Lock lock, Request request, boolean young) {
        boolean renewsMarks = young && rules.keeps(Rule.YOUNG_HISTORY_RENEWS_MARKS);
        if (lock.isOf(Owner.NOBODY)) {
            boolean reclaims = request.phase() == Phase.RENEWING;
            Lock after = lock.granted(Owner.HOLDER, rules);
            Lock lasting = reclaims && rules.has(Fault.RENEWAL_OFF) ? after.lasting(1) : after;
            return renewsMarks ? lasting.marked() : lasting;
        }
        if (request.phase() == Phase.ACQUIRING) {
            return lock;
        }
        Lock lasting = rules.has(Fault.RENEWAL_OFF) ? lock : lock.lasting(rules.lease());
        return renewsMarks && lock.isMarked() ? lasting.marked() : lasting.unmarked(rules);
    }

    private Phase phase(Lock after, boolean young) {
        if (young && rules.keeps(Rule.YOUNG_HISTORY_CONFIRMS_CERTAIN_ONLY)) {
            return Phase.GRANTED_TO_CERTAIN;
        }
        boolean doubtful = young && rules.keeps(Rule.YOUNG_HISTORY_RENEWS_MARKS) && after.isMarked();
        return doubtful ? Phase.EXTENDED : Phase.GRANTED;
    }

    private World answered(World world, Phase phase) {
        World answered = world.with(world.hold().with(world.hold().request().in(phase)));
        return rules.has(Fault.LATE_ANSWERS) ? answered : received(answered);
    }

    private World received(World world) {
        Hold hold = world.hold();
        return switch (hold.request().phase()) {
            case GRANTED -> world.with(hold.confirmed(rules));
            case GRANTED_TO_CERTAIN -> world.with(world.isCertain(rules) ? hold.confirmed(rules) : doubted(hold));
            case EXTENDED -> world.with(hold.extended(rules));
            default -> world.withoutHold();
        };
    }

    private Hold doubted(Hold hold) {
        Hold extended = hold.extended(rules);
        return rules.keeps(Rule.DOUBT_OUTLIVES_THE_GRACE) ? extended.undecidable() : extended;
    }

    private void released(World world, BiConsumer<Step, World> found) {
        if (world.hold().exists()) {
            found.accept(Step.of(Kind.RELEASE), world.withoutHold());
        }
        for (int server = Servers.FIRST; server <= Servers.SECOND; server++) {
            Lock lock = world.servers().lock(server);
            if (world.servers().executes(server) && lock.isOf(Owner.FORMER)) {
                Servers after = world.servers().with(server, lock.freed(rules));
                found.accept(Step.at(server, Kind.EXECUTE_RELEASE), world.with(after));
            }
        }
    }
}
