package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.testing.ForwardingBackend;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** Passes everything between engine and backend on, and writes it into the log before. */
final class Witness extends ForwardingBackend {

    private final World world;
    private final Instance instance;
    private final String worker;
    private final Map<String, String> paths = new HashMap<>();
    private final Set<String> losses = new HashSet<>();
    private final Map<String, Long> sentAt = new HashMap<>();
    private final Map<String, NavigableMap<Long, String>> fingerprints = new HashMap<>();
    private final Map<String, NavigableMap<Long, Integer>> slots = new HashMap<>();
    private final Set<String> revoked = new HashSet<>();
    private final CommandOrder order;

    Witness(World world, Instance instance, LockBackend backend) {
        super(backend);
        this.world = world;
        this.instance = instance;
        this.worker = instance.name;
        this.order = new CommandOrder(world, worker);
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        long sent = world.time.nanos();
        world.lateWithdrawals.attempt(command);
        if (command.reads()) {
            world.write(event(EventKind.ATTEMPTING, command.key(), command.token()));
        }
        CompletionStage<AcquireResult> answer = detaches(command)
                ? order.release(
                        command.key(), tokenOf(command.replaced().orElseThrow()), () -> backend.attemptAcquire(command))
                : order.ask(command.key(), () -> backend.attemptAcquire(command));
        return answer.thenApply(result -> {
            if (result instanceof AcquireResult.Granted granted) {
                granted.takenOverFrom().ifPresent(holder -> world.promises.takenOver(worker, command.key(), holder));
                sentAt.put(command.key() + '#' + granted.fencingToken(), sent);
                fingerprints
                        .computeIfAbsent(command.key(), unseen -> new TreeMap<>())
                        .put(granted.fencingToken(), command.token().fingerprint());
                slots.computeIfAbsent(command.key(), unseen -> new TreeMap<>())
                        .put(granted.fencingToken(), granted.slot());
                long takeover =
                        Duration.ofMillis(command.token().takeoverMillis()).toNanos();
                world.write(event(EventKind.GRANTED, command.key(), command.token())
                        .of(LabEvent.slotOf(command.key(), granted.slot()), granted.fencingToken())
                        .between(takeover, granted.othersWaiting()));
            }
            return result;
        });
    }

    /** A detach is sent as a release is, beside attempts of the line. */
    private static boolean detaches(AcquireCommand command) {
        return command.replaced().isPresent() && command.token().owner().contains("(detached)");
    }

    private static LockToken tokenOf(String stored) {
        String[] parts = stored.split("[:|]", 3);
        return new LockToken(parts[0], Long.parseLong(parts[1]));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        commands.forEach(command -> world.write(
                event(EventKind.RENEWING, LabEvent.slotOf(command.key(), command.slot()), command.token())));
        return order.renew(commands, () -> backend.renewLeases(commands));
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        if (command.endsWait()) {
            return order.ask(
                    command.key(), () -> world.lateWithdrawals.send(command, () -> backend.releaseToken(command)));
        }
        world.write(event(
                EventKind.FREEING,
                LabEvent.slotOf(command.key(), command.slots().from()),
                command.token()));
        return command.requeue().isPresent()
                ? order.requeue(command.key(), command.token(), () -> backend.releaseToken(command))
                : order.release(command.key(), command.token(), () -> backend.releaseToken(command));
    }

    @Override
    public void listen(String instanceId, SignalListener signals) {
        world.started(instanceId, instance);
        super.listen(instanceId, signals);
    }

    private LabEvent event(EventKind kind, String key, LockToken token) {
        return world.event(kind, worker).of(key, 0).counting(token.number());
    }

    /** How a lock was acquired; its holder gets it after the listeners. */
    String pathOf(String key, long fencingToken) {
        return paths.getOrDefault(LabEvent.lockOf(key) + '#' + fencingToken, "UNCONTENDED");
    }

    /** When the attempt was sent whose first fencing token this is; empty if it is another one. */
    Optional<Long> sentAt(String key, long fencingToken) {
        return Optional.ofNullable(sentAt.get(LabEvent.lockOf(key) + '#' + fencingToken));
    }

    /** The engine is about to receive the message that an operator has taken away the lock of this token. */
    void revoked(String fingerprint) {
        revoked.add(fingerprint);
    }

    /** Whether the engine has received that message about the grant to which the fencing token belongs. */
    boolean isRevoked(String key, long fencingToken) {
        Map.Entry<Long, String> grant = fingerprints
                .getOrDefault(LabEvent.lockOf(key), Collections.emptyNavigableMap())
                .floorEntry(fencingToken);
        return grant != null && revoked.contains(grant.getValue());
    }

    /** Whether the engine has reported the loss of one of the locks. */
    boolean hasReported(LockHandle lost) {
        return lost.keys().stream().anyMatch(key -> losses.contains(key + '#' + lost.fencingToken(key)));
    }

    private String slotOf(String key, long fencingToken) {
        Map.Entry<Long, Integer> grant =
                slots.getOrDefault(key, Collections.emptyNavigableMap()).floorEntry(fencingToken);
        return LabEvent.slotOf(key, grant == null ? 0 : grant.getValue());
    }

    /** Receives the events of the engine. */
    LockListener listener() {
        return event -> {
            if (event instanceof LockEvent.Lost lost) {
                losses.add(lost.key() + '#' + lost.fencingToken());
                world.write(world.event(EventKind.LOSS_REPORTED, worker)
                        .of(slotOf(lost.key(), lost.fencingToken()), lost.fencingToken())
                        .noting(lost.cause().name()));
            } else if (event instanceof LockEvent.InDoubt doubt) {
                world.write(world.event(EventKind.IN_DOUBT, worker)
                        .of(slotOf(doubt.key(), doubt.fencingToken()), doubt.fencingToken()));
            } else if (event instanceof LockEvent.Confirmed confirmed) {
                world.write(world.event(EventKind.CONFIRMED, worker)
                        .of(slotOf(confirmed.key(), confirmed.fencingToken()), confirmed.fencingToken())
                        .counting(confirmed.inDoubtFor().toNanos()));
            } else if (event instanceof LockEvent.Acquired acquired) {
                paths.put(
                        acquired.key() + '#' + acquired.fencingToken(),
                        acquired.path().name());
            }
        };
    }
}
