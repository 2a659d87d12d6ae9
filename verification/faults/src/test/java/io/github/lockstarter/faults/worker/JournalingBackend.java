package io.github.lockstarter.faults.worker;

import io.github.lockstarter.faults.topology.Address;
import io.github.lockstarter.kit.check.History;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.redlock.RedlockBackend;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.ForwardingBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Forwards all calls, and logs what the engine sends, before it is sent, and what it receives, before it is delivered.
 */
final class JournalingBackend extends ForwardingBackend {

    /** Duration above which an attempt counts as delayed by the server. */
    private static final Duration SLOW = Duration.ofMillis(100);

    /** Grants of a key that are remembered: a hold ends before so many others. */
    private static final int KEPT = 64;

    private final Address.Kind kind;
    private final Journal journal;

    /** Of locks with several permits, by the first fencing token of the grant. */
    private final Map<String, ConcurrentNavigableMap<Long, Integer>> slots = new ConcurrentHashMap<>();

    JournalingBackend(LockBackend backend, Address.Kind kind, Journal journal) {
        super(backend);
        this.kind = kind;
        this.journal = journal;
    }

    /** Logs the present capabilities of the store for the checks. */
    void describeStore(Duration longestLease) {
        journal.write(journal.event(EventKind.STORE)
                .counting(endsLocksWithSessions() ? StoreBackends.SESSION.toNanos() : 0)
                .between(0, StoreBackends.begunAnew(kind, longestLease).toNanos())
                .noting(woken()));
    }

    private boolean endsLocksWithSessions() {
        return kind == Address.Kind.ZOOKEEPER;
    }

    private String woken() {
        return switch (kind) {
            case POSTGRESQL -> "NONE";
            case ETCD -> "TO_ALL";
            default -> History.WAKES_IN_ORDER;
        };
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        if (backend instanceof RedlockBackend || command.reads()) {
            journal.write(event(EventKind.ATTEMPTING, command.key(), command.token()));
        }
        long sent = System.nanoTime();
        return backend.attemptAcquire(command)
                .whenComplete((result, failure) -> noteIfGivenBack(command, sent, result))
                .thenApply(result -> {
                    noteIfSlow(command, sent);
                    if (result instanceof AcquireResult.Granted granted) {
                        noteSlot(command, granted);
                        journal.write(event(EventKind.GRANTED, command.key(), command.token())
                                .of(LabEvent.slotOf(command.key(), granted.slot()), granted.fencingToken())
                                .between(takeoverNanos(command), granted.othersWaiting()));
                    }
                    return result;
                });
    }

    private void noteSlot(AcquireCommand command, AcquireResult.Granted granted) {
        if (command.permits() > 1 || slots.containsKey(command.key())) {
            ConcurrentNavigableMap<Long, Integer> known =
                    slots.computeIfAbsent(command.key(), unseen -> new ConcurrentSkipListMap<>());
            known.put(granted.fencingToken(), granted.slot());
            if (known.size() > KEPT) {
                known.pollFirstEntry();
            }
        }
    }

    /** Name of the slot that was granted with this fencing token, or with the grant of a handed-over one. */
    String slotOf(String key, long fencingToken) {
        ConcurrentNavigableMap<Long, Integer> known = slots.get(key);
        Map.Entry<Long, Integer> grant = known == null ? null : known.floorEntry(fencingToken);
        return LabEvent.slotOf(key, grant == null ? 0 : grant.getValue());
    }

    /**
     * If locks end with a session, a failed attempt may have been first in line, and left because its session was in
     * doubt: that wakes one instance, perhaps before the attempt is answered, so the event is dated back.
     */
    private void noteIfGivenBack(AcquireCommand command, long sent, @Nullable AcquireResult result) {
        boolean answered = result instanceof AcquireResult.Granted || result instanceof AcquireResult.Contended;
        if (!answered && endsLocksWithSessions()) {
            journal.write(
                    event(EventKind.ATTEMPTING, command.key(), command.token()).at(sent));
        }
    }

    /** On a busy machine, servers with several processes may stall without a fault. */
    private void noteIfSlow(AcquireCommand command, long sent) {
        long now = System.nanoTime();
        if (!kind.isRedis() && now - sent > SLOW.toNanos()) {
            journal.write(journal.event(EventKind.ANSWERED_LATE)
                    .of(command.key(), 0)
                    .at(now)
                    .between(sent, now));
        }
    }

    /** A lock that ends with a session may be free if the store received nothing from the session for its timeout. */
    private long takeoverNanos(AcquireCommand command) {
        return endsLocksWithSessions()
                ? StoreBackends.SESSION.toNanos()
                : Duration.ofMillis(command.token().takeoverMillis()).toNanos();
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        commands.forEach(command -> journal.write(
                event(EventKind.RENEWING, LabEvent.slotOf(command.key(), command.slot()), command.token())));
        return backend.renewLeases(commands);
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        EventKind kind = command.endsWait() ? EventKind.WITHDRAWING : EventKind.FREEING;
        String slot = LabEvent.slotOf(command.key(), command.slots().from());
        journal.write(event(kind, slot, command.token()));
        return backend.releaseToken(command);
    }

    @Override
    protected void signalled(String key) {
        journal.write(journal.event(EventKind.SIGNALLED).of(key, 0));
    }

    @Override
    protected void wanted(String key) {
        journal.write(journal.event(EventKind.WANTED).of(key, 0));
    }

    private LabEvent event(EventKind kind, String key, LockToken token) {
        return journal.event(kind).of(key, 0).counting(token.number());
    }
}
