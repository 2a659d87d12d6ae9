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

/** Kinds of faults. Each affects one instance, one server, or all of them, and is healed after its time. */
public enum FaultKind {
    /** The connections of an instance break, and are opened again. */
    CUT {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                struck.wires().forEach(Wire::cut);
                return new Strike("links of " + struck.name, () -> {});
            });
        }

        @Override
        Duration longest(Setting setting) {
            return MOMENT;
        }
    },
    /** The connections of an instance break repeatedly, each between a write and its answer. */
    CUT_BEFORE_ANSWER {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                cutAgain(world, struck, world.time.nanos() + fault.lasts().toNanos());
                return new Strike(
                        "links of " + struck.name, () -> struck.wires().forEach(Wire::cut));
            });
        }

        private void cutAgain(World world, Instance struck, long end) {
            if (world.time.nanos() < end) {
                struck.wires().forEach(Wire::cutBeforeAnswer);
                world.after(Duration.ofMillis(20), () -> cutAgain(world, struck, end));
            }
        }

        @Override
        Duration longest(Setting setting) {
            return UNTIL_USED;
        }
    },
    /** The connection on which an instance gets signals breaks. */
    CUT_MAILBOX {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                struck.wires().stream().filter(Wire::isMailbox).forEach(Wire::cut);
                return new Strike("links of " + struck.name, () -> {});
            });
        }

        @Override
        Duration longest(Setting setting) {
            return MOMENT;
        }
    },
    /** The server drops the connection for an instance's signals; the instance detects that later. */
    DROP_MAILBOX {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                List<Wire> dropped =
                        struck.wires().stream().filter(Wire::isMailbox).toList();
                dropped.forEach(Wire::dropAtServer);
                return new Strike("links of " + struck.name, () -> dropped.forEach(Wire::cut));
            });
        }
    },
    /** The connections of an instance break, and none can be opened for a while. */
    PARTITION {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                world.servers.all().forEach(server -> server.reach(struck.process, false));
                struck.wires().forEach(Wire::cut);
                return new Strike(
                        "links of " + struck.name,
                        () -> world.servers.all().forEach(server -> server.reach(struck.process, true)));
            });
        }
    },
    /** Answers to an instance arrive late, its signals in time. */
    LATE_ANSWERS {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                List<Wire> late = struck.wires().stream()
                        .filter(wire -> !wire.isMailbox())
                        .toList();
                late.forEach(wire -> wire.delayAnswers(Duration.ofMillis(5 + fault.target() % 100)));
                return new Strike(
                        "links of " + struck.name, () -> late.forEach(wire -> wire.delayAnswers(Duration.ZERO)));
            });
        }
    },
    /** Packets of an instance are lost; its connections continue afterwards, or break. */
    SILENCE {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                List<Wire> silent = struck.wires();
                silent.forEach(Wire::silence);
                world.servers.all().forEach(server -> server.reach(struck.process, false));
                return new Strike("links of " + struck.name, () -> {
                    world.servers.all().forEach(server -> server.reach(struck.process, true));
                    silent.forEach(fault.target() % 2 == 0 ? Wire::heal : Wire::cut);
                });
            });
        }
    },
    /** Each packet takes longer. */
    SLOW {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            world.slowDown(2 + fault.target() % 60);
            return Optional.of(new Strike("links", () -> world.slowDown(1)));
        }
    },
    /** An instance is paused, as by a long garbage collection. */
    PAUSE {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                struck.pause();
                return new Strike(struck.name, struck::resume);
            });
        }
    },
    /** An instance is killed; another one takes its place. */
    KILL {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                struck.kill();
                return new Strike(struck.name, () -> world.replace(struck));
            });
        }
    },
    /** An instance is stopped gracefully; another one takes its place. */
    STOP {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return instance(world, fault).map(struck -> {
                struck.stop(fault.lasts());
                return new Strike(struck.name, () -> world.replace(struck));
            });
        }
    },
    /** An operator takes a lock from its holder. */
    REVOKE {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            String key = world.slots().get(fault.target() % world.slots().size());
            return instance(world, fault).map(struck -> {
                struck.engine
                        .admin()
                        .inspect(LabEvent.lockOf(key), World.slotOf(key))
                        .thenAccept(seen -> {
                            if (seen instanceof StoredLock.Held held) {
                                world.revoked(key, held.fencingToken());
                                long sent = world.time.nanos();
                                struck.engine
                                        .admin()
                                        .revoke(LabEvent.lockOf(key), World.slotOf(key), held.fencingToken())
                                        .thenAccept(revocation -> {
                                            if (revocation instanceof Revocation.Revoked) {
                                                world.promises.revoked(key, held.fencingToken(), sent);
                                            }
                                        });
                            }
                        });
                return new Strike("", () -> {});
            });
        }
    },
    /** An operator tries to take a lock from a holder that he saw a while ago, and another one has it now. */
    REVOKE_STALE {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            String key = world.slots().get(fault.target() % world.slots().size());
            return instance(world, fault).map(struck -> {
                struck.engine
                        .admin()
                        .inspect(LabEvent.lockOf(key), World.slotOf(key))
                        .thenAccept(seen -> {
                            if (seen instanceof StoredLock.Held held) {
                                struck.time(
                                        fault.lasts(), () -> revokeUnlessHeld(world, struck, key, held.fencingToken()));
                            }
                        });
                return new Strike("", () -> {});
            });
        }

        private void revokeUnlessHeld(World world, Instance operator, String key, long fencingToken) {
            if (!world.watch.isHeldBy(key, fencingToken)) {
                operator.engine.admin().revoke(LabEvent.lockOf(key), World.slotOf(key), fencingToken);
            }
        }
    },
    /** A server is paused. */
    PAUSE_SERVER {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            Server struck =
                    world.servers.all().get(fault.target() % world.servers.all().size());
            if (!struck.process().isRunning()) {
                return Optional.empty();
            }
            struck.process().pause();
            return Optional.of(new Strike(struck.toString(), struck.process()::resume));
        }
    },
    /** The master crashes, and starts again with the data that it had written down. */
    RESTART {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            Server struck = world.servers.master();
            if (!world.mayForget()) {
                return Optional.empty();
            }
            struck.kill();
            return Optional.of(new Strike(struck.toString(), () -> world.startAgain(struck)));
        }
    },
    /** All keys are deleted. */
    FLUSH {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return world.mayForget() ? onMaster(world, List.of("FLUSHALL")) : Optional.empty();
        }
    },
    /** The master writes a snapshot, from which it may start later. */
    SNAPSHOT {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            world.servers.master().redis.save();
            return Optional.of(new Strike("snapshot", () -> {}));
        }
    },
    /** The master forgets its scripts. */
    SCRIPT_FLUSH {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return onMaster(world, List.of("SCRIPT", "FLUSH"));
        }
    },
    /** The master refuses writes. */
    REFUSE {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            Server struck = world.servers.master();
            struck.redis.refuseWrites("NOREPLICAS Not enough good replicas to write.");
            return Optional.of(new Strike(struck.toString(), struck.redis::acceptWrites));
        }
    },
    /** The clock of the master is set back, once in an episode. */
    CLOCK_BACK {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            Duration step = world.setting.lease().dividedBy(2 + fault.target() % 5);
            return world.stepClockBack(step) ? Optional.of(new Strike("clock", () -> {})) : Optional.empty();
        }
    },
    /** A replica stays behind the master. */
    LAG {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            List<Server> replicas = world.servers.replicas();
            Server struck = replicas.get(fault.target() % replicas.size());
            struck.redis.lag(1 + fault.target() % 100);
            return Optional.of(new Strike(struck.toString(), () -> struck.redis.lag(0)));
        }
    },
    /** The master crashes, and a replica is promoted. */
    CRASH_FAILOVER {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return world.promotable(fault.target()).map(promoted -> {
                Server crashed = world.servers.master();
                crashed.kill();
                world.servers.promote(promoted);
                return new Strike(crashed.toString(), () -> world.startAgain(crashed));
            });
        }
    },
    /** A replica is promoted while the master continues, for as long as the settings allow for. */
    FAILOVER {
        @Override
        Optional<Strike> begin(World world, PlannedFault fault) {
            return world.promotable(fault.target()).map(promoted -> {
                Server deposed = world.servers.master();
                world.servers.promote(promoted);
                if (world.setting.deposedWrites().isZero()) {
                    world.servers.demote(deposed);
                    return new Strike(deposed.toString(), () -> {});
                }
                return new Strike(deposed.toString(), () -> world.servers.demote(deposed));
            });
        }

        @Override
        Duration longest(Setting setting) {
            return setting.deposedWrites();
        }
    };

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

    /** The faults under which the setting keeps its promises. */
    static List<FaultKind> possible(Setting setting) {
        return Arrays.stream(values())
                .filter(kind -> setting.replicas() > 0 || !OF_REPLICAS.contains(kind))
                .toList();
    }

    /** How long it lasts at most. */
    Duration longest(Setting setting) {
        Duration twice = setting.lease().multipliedBy(2);
        return twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
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
    abstract Optional<Strike> begin(World world, PlannedFault fault);

    private static Optional<Instance> instance(World world, PlannedFault fault) {
        Instance chosen = world.instances.get(fault.target() % world.instances.size());
        return Optional.of(chosen).filter(instance -> instance.process.isRunning() && !instance.isStopping());
    }

    private static Optional<Strike> onMaster(World world, List<String> command) {
        Server struck = world.servers.master();
        if (!struck.process().isRunning()) {
            return Optional.empty();
        }
        boolean refused = struck.redis.execute(command) instanceof Reply.Failure;
        return refused ? Optional.empty() : Optional.of(new Strike(struck.toString(), () -> {}));
    }
}
