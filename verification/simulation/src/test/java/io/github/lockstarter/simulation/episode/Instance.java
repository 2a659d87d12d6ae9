package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connection.SignalMailbox;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.simulation.net.Endpoint;
import io.github.lockstarter.simulation.net.Server;
import io.github.lockstarter.simulation.net.SimConnector;
import io.github.lockstarter.simulation.net.Wire;
import io.github.lockstarter.simulation.time.Process;
import io.github.lockstarter.simulation.time.VirtualExecutor;
import io.github.lockstarter.simulation.time.VirtualScheduler;
import io.github.lockstarter.simulation.time.VirtualTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** A JVM with this starter: its engine and Redis client as shipped, on virtual time, and the callers of its locks. */
final class Instance {

    /** A name such as {@code w1.2}: its place, and how many there were before it. */
    final String name;

    final Process process;
    final LockEngine engine;

    /** The holds of its callers. */
    final List<EpisodeSection> sections = new ArrayList<>();

    final Witness witness;

    private final World world;
    private final int place;
    private final int number;
    private final List<Caller> callers = new ArrayList<>();
    private boolean warm;
    private boolean stopping;
    private long pausedAt;

    /** Starts one. */
    Instance(World world, int place, int number) {
        this.world = world;
        this.place = place;
        this.number = number;
        this.name = "w" + place + '.' + number;
        this.process = new Process(name);
        world.write(world.event(EventKind.STARTED, name)
                .counting(world.setting.lease().toNanos())
                .noting("STARTER"));
        LongSupplier threads = world.threads(name);
        this.witness = new Witness(world, this, backend(threads));
        this.engine = new LockEngine(
                witness, engineSettings(world.setting), List.of(witness.listener()), environment(threads));
        warmUp();
    }

    private RedisLockBackend backend(LongSupplier threads) {
        Plan.Setting setting = world.setting;
        Endpoint endpoint = new Endpoint(
                world.time,
                process,
                new VirtualScheduler(world.time, process),
                world.packets(name),
                world.servers::master,
                setting.commandTimeout(),
                this::received);
        RedisSettings redis = new RedisSettings(
                "lock:",
                setting.commandTimeout(),
                new RedisSettings.HistoryGuard(setting.lease(), RedisSettings.FirstUse.GRANT, setting.deposedWrites()),
                RedisSettings.SingleMaster.DECLARED, // to ask blocks, and one thread runs all here
                RedisSettings.KeyLayout.AUTO);
        return new RedisLockBackend(new SimConnector(endpoint, threads, world.servers), redis);
    }

    /** A message of the mailbox: the name of a lock, with a mark before it unless it says that the lock may be free. */
    private void received(String text) {
        if (text.equals(SignalMailbox.PROOF)) {
            return;
        }
        if (text.startsWith(SignalMailbox.WANTED)) {
            world.write(world.event(EventKind.WANTED, name).of(text.substring(SignalMailbox.WANTED.length()), 0));
        } else if (text.startsWith(SignalMailbox.REVOKED)) {
            witness.revoked(text.substring(SignalMailbox.REVOKED.length(), text.indexOf(':')));
        } else {
            String lock = text.replaceFirst("^%=\\d+:", ""); // of any slot
            world.write(world.event(EventKind.SIGNALLED, name).of(lock, 0));
        }
    }

    private static EngineSettings engineSettings(Plan.Setting setting) {
        return new EngineSettings(
                LockTerms.NONE
                        .lease(setting.lease())
                        .maxWait(Duration.ofSeconds(2))
                        .crashTakeover(setting.takeover()),
                setting.lease(),
                setting.maxRetryDelay(),
                EngineSettings.Handover.DEFAULTS,
                EngineSettings.DEFAULTS.shownPlace(),
                Duration.ZERO,
                Map.of());
    }

    private EngineEnvironment environment(LongSupplier threads) {
        EngineClock clock = new EngineClock(world.time::nanos, () -> Instant.ofEpochMilli(world.wallMillis()));
        return new EngineEnvironment(
                clock,
                any -> new VirtualTimer(world.time, process),
                () -> new VirtualExecutor(world.time, process, threads),
                () -> new VirtualExecutor(world.time, process, threads),
                () -> new VirtualExecutor(world.time, process, threads),
                world.random(name + " identity"),
                world.random(name + " jitter"));
    }

    /** An instance that has had no reply yet cannot detect that a server has lost data. */
    private void warmUp() {
        engine.acquireAsync(LockRequest.of("warm-up of " + name).maxWait(Duration.ofMillis(100)))
                .whenComplete((handle, failure) -> {
                    if (handle == null) {
                        time(Duration.ofMillis(50), this::warmUp);
                    } else {
                        handle.closeAsync();
                        warm = true;
                        callers.forEach(Caller::begin);
                    }
                });
    }

    /** Adds callers, which begin once the instance has had a reply. */
    void serve(List<Plan.PlannedCaller> planned) {
        planned.stream()
                .filter(caller -> caller.instance() == place)
                .forEach(caller -> callers.add(new Caller(
                        world, this, caller, world.random("caller " + place + '/' + caller.number() + '.' + number))));
        if (warm) {
            callers.forEach(Caller::begin);
        }
    }

    /** Does something in this process later. */
    void time(Duration delay, Runnable action) {
        world.time.in(delay.toNanos(), process, action);
    }

    /** Whether it has had a reply. */
    boolean isWarm() {
        return warm;
    }

    boolean isStopping() {
        return stopping;
    }

    int place() {
        return place;
    }

    /** The next one at its place. */
    Instance successor() {
        return new Instance(world, place, number + 1);
    }

    /** Its connections to all servers. */
    List<Wire> wires() {
        return world.servers.all().stream()
                .flatMap((Server server) -> server.wiresOf(process).stream())
                .toList();
    }

    void pause() {
        pausedAt = world.time.nanos();
        process.pause();
    }

    void resume() {
        if (!process.isDead()) {
            world.write(world.event(EventKind.STALLED, name).between(pausedAt, world.time.nanos()));
            process.resume();
        }
    }

    /** As kill -9 does. */
    void kill() {
        sections.forEach(EpisodeSection::noteEnd);
        callers.forEach(Caller::forget);
        process.kill();
        world.write(world.event(EventKind.KILLED, name).between(world.time.nanos(), world.time.nanos()));
        wires().forEach(Wire::cut);
    }

    /** Waits for its work, then stops; after the given time, stops anyway. */
    void stop(Duration patience) {
        stopping = true;
        engine.drain().thenRun(this::exit);
        time(patience, () -> {
            if (!process.isDead()) {
                sections.forEach(EpisodeSection::stopped);
                engine.beginStop().thenRun(this::exit);
            }
        });
    }

    private void exit() {
        if (!process.isDead()) {
            time(Duration.ofMillis(100), () -> {
                sections.forEach(EpisodeSection::noteEnd);
                callers.forEach(Caller::reportStuck);
                world.write(world.event(EventKind.ENDED, name));
                process.kill();
                wires().forEach(Wire::cut);
            });
        }
    }

    /** Its callers that wait for a lock. */
    List<Caller> waiting() {
        return process.isRunning() ? callers.stream().filter(Caller::isWaiting).toList() : List.of();
    }

    /** Whether a caller waits or holds. */
    boolean isBusy() {
        return callers.stream().anyMatch(Caller::isBusy);
    }
}
