package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.kit.check.History;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.simulation.episode.Plan.PlannedFault;
import io.github.lockstarter.simulation.episode.Plan.Setting;
import io.github.lockstarter.simulation.net.Server;
import io.github.lockstarter.simulation.net.Wire;
import io.github.lockstarter.simulation.redis.Reply;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;

/** Kinds of faults. Each affects one instance, one server, or all of them, and is healed after its time. */
@SuppressWarnings("ImmutableEnumChecker") // its functions have no state
public enum FaultKind {
    /** The connections of an instance break, and are opened again. */
    CUT((world, struck, fault) -> {
        struck.wires().forEach(Wire::cut);
        return () -> {};
    }),
    /** The connections of an instance break repeatedly, each between a write and its answer. */
    CUT_BEFORE_ANSWER((world, struck, fault) -> {
        cutAgain(world, struck, world.time.nanos() + fault.lasts().toNanos());
        return () -> struck.wires().forEach(Wire::cut);
    }),
    /** The connection on which an instance gets signals breaks. */
    CUT_MAILBOX((world, struck, fault) -> {
        struck.wires().stream().filter(Wire::isMailbox).forEach(Wire::cut);
        return () -> {};
    }),
    /** The server drops the connection for an instance's signals; the instance detects that later. */
    DROP_MAILBOX((world, struck, fault) -> {
        List<Wire> dropped = struck.wires().stream().filter(Wire::isMailbox).toList();
        dropped.forEach(Wire::dropAtServer);
        return () -> dropped.forEach(Wire::cut);
    }),
    /** The connections of an instance break, and none can be opened for a while. */
    PARTITION((world, struck, fault) -> {
        reach(world, struck, false);
        struck.wires().forEach(Wire::cut);
        return () -> reach(world, struck, true);
    }),
    /** Answers to an instance arrive late, its signals in time. */
    LATE_ANSWERS((world, struck, fault) -> {
        List<Wire> late =
                struck.wires().stream().filter(wire -> !wire.isMailbox()).toList();
        late.forEach(wire -> wire.delayAnswers(Duration.ofMillis(5 + fault.target() % 100)));
        return () -> late.forEach(wire -> wire.delayAnswers(Duration.ZERO));
    }),
    /** Packets of an instance are lost; its connections continue afterwards, or break. */
    SILENCE((world, struck, fault) -> {
        List<Wire> silent = struck.wires();
        silent.forEach(Wire::silence);
        reach(world, struck, false);
        return () -> {
            reach(world, struck, true);
            silent.forEach(fault.target() % 2 == 0 ? Wire::heal : Wire::cut);
        };
    }),
    /** Each packet takes longer. */
    SLOW((world, fault) -> {
        world.slowDown(2 + fault.target() % 60);
        return strike("links", () -> world.slowDown(1));
    }),
    /** An instance is paused, as by a long garbage collection. */
    PAUSE((world, struck, fault) -> {
        struck.pause();
        return struck::resume;
    }),
    /** An instance is killed; another one takes its place. */
    KILL((world, struck, fault) -> {
        struck.kill();
        return () -> world.replace(struck);
    }),
    /** An instance is stopped gracefully; another one takes its place. */
    STOP((world, struck, fault) -> {
        struck.stop(fault.lasts());
        return () -> world.replace(struck);
    }),
    /** An operator takes a lock from its holder. */
    REVOKE((world, struck, fault) -> {
        String key = chosen(world.slots(), fault);
        ifHeld(struck, key, fencingToken -> {
            world.revoked(key, fencingToken);
            long sent = world.time.nanos();
            revoke(struck, key, fencingToken).thenAccept(revocation -> {
                if (revocation instanceof Revocation.Revoked) {
                    world.promises.revoked(key, fencingToken, sent);
                }
            });
        });
        return () -> {};
    }),
    /** An operator tries to take a lock from a holder that he saw a while ago, and another one has it now. */
    REVOKE_STALE((world, struck, fault) -> {
        String key = chosen(world.slots(), fault);
        ifHeld(
                struck,
                key,
                fencingToken -> struck.time(fault.lasts(), () -> {
                    if (!world.watch.isHeldBy(key, fencingToken)) {
                        revoke(struck, key, fencingToken);
                    }
                }));
        return () -> {};
    }),
    /** A server is paused. */
    PAUSE_SERVER((world, fault) -> {
        Server struck = chosen(world.servers.all(), fault);
        if (!struck.process().isRunning()) {
            return Optional.empty();
        }
        struck.process().pause();
        return strike(struck, struck.process()::resume);
    }),
    /** The master crashes, and starts again with the data that it had written down. */
    RESTART((world, fault) -> {
        Server struck = world.servers.master();
        if (!world.mayForget()) {
            return Optional.empty();
        }
        struck.kill();
        return strike(struck, () -> world.startAgain(struck));
    }),
    /** All keys are deleted. */
    FLUSH((world, fault) -> world.mayForget() ? onMaster(world, List.of("FLUSHALL")) : Optional.empty()),
    /** The master writes a snapshot, from which it may start later. */
    SNAPSHOT((world, fault) -> {
        world.servers.master().redis.save();
        return strike("snapshot", () -> {});
    }),
    /** The master forgets its scripts. */
    SCRIPT_FLUSH((world, fault) -> onMaster(world, List.of("SCRIPT", "FLUSH"))),
    /** The master refuses writes. */
    REFUSE((world, fault) -> {
        Server struck = world.servers.master();
        struck.redis.refuseWrites("NOREPLICAS Not enough good replicas to write.");
        return strike(struck, struck.redis::acceptWrites);
    }),
    /** The clock of the master is set back, once in an episode. */
    CLOCK_BACK((world, fault) -> {
        Duration step = world.setting.lease().dividedBy(2 + fault.target() % 5);
        return world.stepClockBack(step) ? strike("clock", () -> {}) : Optional.empty();
    }),
    /** A replica stays behind the master. */
    LAG((world, fault) -> {
        Server struck = chosen(world.servers.replicas(), fault);
        struck.redis.lag(1 + fault.target() % 100);
        return strike(struck, () -> struck.redis.lag(0));
    }),
    /** The master crashes, and a replica is promoted. */
    CRASH_FAILOVER((world, fault) -> world.promotable(fault.target()).flatMap(promoted -> {
        Server crashed = world.servers.master();
        crashed.kill();
        world.servers.promote(promoted);
        return strike(crashed, () -> world.startAgain(crashed));
    })),
    /** A replica is promoted while the master continues, for as long as the settings allow for. */
    FAILOVER((world, fault) -> world.promotable(fault.target()).flatMap(promoted -> {
        Server deposed = world.servers.master();
        world.servers.promote(promoted);
        if (world.setting.deposedWrites().isZero()) {
            world.servers.demote(deposed);
            return strike(deposed, () -> {});
        }
        return strike(deposed, () -> world.servers.demote(deposed));
    }));

    private static final Duration MOMENT = Duration.ofMillis(20);

    /** In this time, answers of all kinds are lost. */
    private static final Duration UNTIL_USED = Duration.ofMillis(600);

    private static final Duration LONGEST = Duration.ofSeconds(3);

    /** Faults of the network: after they are healed, the servers have lost no data. */
    private static final Set<FaultKind> OF_LINKS =
            EnumSet.of(CUT, CUT_BEFORE_ANSWER, CUT_MAILBOX, DROP_MAILBOX, PARTITION, LATE_ANSWERS, SILENCE, SLOW);

    /** Faults by which servers lose locks. */
    private static final Set<FaultKind> FORGETTING = EnumSet.of(RESTART, FLUSH, CRASH_FAILOVER, FAILOVER);

    private static final Set<FaultKind> OF_REPLICAS = EnumSet.of(LAG, CRASH_FAILOVER, FAILOVER);

    /** Connections are opened again at once. */
    private static final Set<FaultKind> AT_ONCE = EnumSet.of(CUT, CUT_BEFORE_ANSWER, CUT_MAILBOX);

    /** Nothing follows from them once they have begun. */
    private static final Set<FaultKind> HARMLESS = EnumSet.of(REVOKE, REVOKE_STALE, SNAPSHOT, SCRIPT_FLUSH);

    /**
     * The effect of a fault.
     *
     * @param target its name in the log
     * @param healing ends it
     */
    record Strike(String target, Runnable healing) {}

    /** Starts a fault. */
    private interface Beginning {
        Optional<Strike> begin(World world, PlannedFault fault);
    }

    /** Starts a fault of an instance, and returns what ends it. */
    private interface OfInstance {
        Runnable begin(World world, Instance struck, PlannedFault fault);
    }

    private final Beginning beginning;

    FaultKind(Beginning beginning) {
        this.beginning = beginning;
    }

    FaultKind(OfInstance ofInstance) {
        this.beginning = (world, fault) -> instance(world, fault)
                .map(struck -> new Strike(nameOf(struck), ofInstance.begin(world, struck, fault)));
    }

    /** The faults under which the setting keeps its promises. */
    static List<FaultKind> possible(Setting setting) {
        return Arrays.stream(values())
                .filter(kind -> setting.replicas() > 0 || !OF_REPLICAS.contains(kind))
                .toList();
    }

    /** How long it lasts at most. */
    Duration longest(Setting setting) {
        Duration twice = setting.lease().multipliedBy(2);
        return switch (this) {
            case CUT, CUT_MAILBOX -> MOMENT;
            case CUT_BEFORE_ANSWER -> UNTIL_USED;
            case FAILOVER -> setting.deposedWrites();
            default -> twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
        };
    }

    boolean isOfLinks() {
        return OF_LINKS.contains(this);
    }

    /** Whether a server may have lost the connection of an instance that lives. */
    boolean disconnects() {
        return isOfLinks() || forgets() || this == PAUSE_SERVER;
    }

    /** Whether connections cannot be opened, or do not answer, for a while. */
    boolean lasts() {
        return !AT_ONCE.contains(this);
    }

    boolean isHarmless() {
        return HARMLESS.contains(this);
    }

    boolean forgets() {
        return FORGETTING.contains(this);
    }

    /** How the log calls it. */
    String note() {
        String mark = this == REVOKE ? History.REVOKES : "";
        return (forgets() ? History.FORGETS : mark) + name();
    }

    /** Starts the fault; empty if there is no target now, or the promises do not cover it. */
    Optional<Strike> begin(World world, PlannedFault fault) {
        return beginning.begin(world, fault);
    }

    private String nameOf(Instance struck) {
        return isOfLinks() ? "links of " + struck.name : isHarmless() ? "" : struck.name;
    }

    private static Optional<Strike> strike(Object target, Runnable healing) {
        return Optional.of(new Strike(target.toString(), healing));
    }

    private static <T> T chosen(List<T> among, PlannedFault fault) {
        return among.get(fault.target() % among.size());
    }

    private static Optional<Instance> instance(World world, PlannedFault fault) {
        return Optional.of(chosen(world.instances, fault))
                .filter(instance -> instance.process.isRunning() && !instance.isStopping());
    }

    private static void cutAgain(World world, Instance struck, long end) {
        if (world.time.nanos() < end) {
            struck.wires().forEach(Wire::cutBeforeAnswer);
            world.after(Duration.ofMillis(20), () -> cutAgain(world, struck, end));
        }
    }

    private static void reach(World world, Instance struck, boolean reached) {
        world.servers.all().forEach(server -> server.reach(struck.process, reached));
    }

    private static void ifHeld(Instance operator, String key, LongConsumer action) {
        operator.engine.admin().inspect(LabEvent.lockOf(key), World.slotOf(key)).thenAccept(seen -> {
            if (seen instanceof StoredLock.Held held) {
                action.accept(held.fencingToken());
            }
        });
    }

    private static CompletionStage<Revocation> revoke(Instance operator, String key, long fencingToken) {
        return operator.engine.admin().revoke(LabEvent.lockOf(key), World.slotOf(key), fencingToken);
    }

    private static Optional<Strike> onMaster(World world, List<String> command) {
        Server struck = world.servers.master();
        if (!struck.process().isRunning()) {
            return Optional.empty();
        }
        boolean refused = struck.redis.execute(command) instanceof Reply.Failure;
        return refused ? Optional.empty() : strike(struck, () -> {});
    }
}
