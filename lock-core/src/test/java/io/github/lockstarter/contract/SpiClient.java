package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One application at the level of the SPI: sends commands and awaits their answers. */
public final class SpiClient implements SignalListener {

    /** Begins the keys whose messages only show that all earlier ones have arrived. */
    private static final String PROBE = "probe:";

    private final LockBackend backend;
    private final AtomicLong sequence = new AtomicLong();
    private final Queue<String> signals = new ConcurrentLinkedQueue<>();
    private final Queue<String> wanted = new ConcurrentLinkedQueue<>();
    private final Queue<String> revoked = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<String> probes = new LinkedBlockingQueue<>();
    private String instanceId = newId();

    public SpiClient(LockBackend backend) {
        this.backend = backend;
        backend.listen(instanceId, this);
    }

    private static String newId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** Goes on under another id, as an engine that starts again. */
    void restart() {
        instanceId = newId();
        backend.listen(instanceId, this);
    }

    public LockBackend backend() {
        return backend;
    }

    LockToken newToken() {
        return new LockToken(instanceId, sequence.incrementAndGet());
    }

    /** The keys signalled so far, oldest first. */
    List<String> signals() {
        return List.copyOf(signals);
    }

    /** Waits for a message that is sent now, which follows all that were sent before. */
    void awaitMessages(SpiClient sender) {
        String probe = PROBE + UUID.randomUUID();
        SpiHold held = sender.hold(probe, Patience.TIME);
        queue(probe);
        held.release();
        try {
            assertThat(probes.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(probe);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The keys of which it was notified that others wait, oldest first. */
    List<String> wanted() {
        return List.copyOf(wanted);
    }

    AcquireResult tryOnce(String key, LockToken token, Duration lease) {
        return answer(backend.attemptAcquire(new AcquireCommand(key, token, lease, 0, 1, Optional.empty())));
    }

    AcquireResult tryMany(String key, LockToken token, int fencingTokens, long fencingFloor) {
        return answer(backend.attemptAcquire(
                new AcquireCommand(key, token, Patience.TIME, fencingFloor, fencingTokens, Optional.empty())));
    }

    AcquireResult tryAbove(String key, LockToken token, Duration lease, long fencingFloor) {
        return answer(backend.attemptAcquire(new AcquireCommand(key, token, lease, fencingFloor, 1, Optional.empty())));
    }

    AcquireResult tryOrWait(String key, LockToken token, Duration lease, Waiting waiting) {
        return answer(backend.attemptAcquire(new AcquireCommand(key, token, lease, 0, 1, Optional.of(waiting))));
    }

    /** Acquires a lock that must be free. */
    public SpiHold hold(String key, Duration lease) {
        LockToken token = newToken();
        AcquireResult result = tryOnce(key, token, lease);
        awaitExecution(key);
        if (result instanceof AcquireResult.Granted granted) {
            return new SpiHold(this, key, token, granted.fencingToken());
        }
        throw new AssertionError("Expected a grant of '" + key + "' but got " + result);
    }

    /** Joins the queue of a lock that must be held; returns the position. */
    long queue(String key, LockToken token, Waiting waiting) {
        AcquireResult result = tryOrWait(key, token, Patience.TIME, waiting);
        awaitExecution(key);
        if (result instanceof AcquireResult.Contended contended) {
            return contended.position();
        }
        throw new AssertionError("Expected '" + key + "' to be busy but got " + result);
    }

    /** Joins the queue at its end for a long time. */
    long queue(String key) {
        return queue(key, newToken(), new Waiting(Waiting.NEW, Patience.TIME));
    }

    RenewResult renew(String key, LockToken token, Duration lease, long fencingToken) {
        return answer(backend.renewLeases(List.of(new RenewCommand(key, token, lease, fencingToken, 0)))
                .get(0));
    }

    public ReleaseResult release(String key, LockToken token, long fencingToken) {
        return answer(backend.releaseToken(new ReleaseCommand(key, token, fencingToken)));
    }

    /** Releases and queues again. */
    ReleaseResult releaseAndQueue(SpiHold hold) {
        ReleaseResult result = answer(backend.releaseToken(new ReleaseCommand(
                hold.key(),
                hold.token(),
                hold.fencingToken(),
                new Wait.GoesOn(Patience.TIME),
                Duration.ZERO,
                Slots.ONLY)));
        awaitExecution(hold.key());
        return result;
    }

    /** Acquires a lock that must be free, with a minimum hold. */
    Timed holdAtLeast(String key, Duration lease, Duration minHold) {
        LockToken token = newToken();
        AcquireResult result = answer(backend.attemptAcquire(
                new AcquireCommand(key, token, lease, 0, 1, Optional.empty(), minHold, 1, Optional.empty())));
        awaitExecution(key);
        if (result instanceof AcquireResult.Granted granted) {
            return new Timed(new SpiHold(this, key, token, granted.fencingToken()), minHold);
        }
        throw new AssertionError("Expected a grant of '" + key + "' but got " + result);
    }

    record Timed(SpiHold hold, Duration minHold) {

        ReleaseResult release() {
            return release(Wait.UNCHANGED);
        }

        /** Releases and queues again. */
        ReleaseResult releaseAndQueue() {
            return release(new Wait.GoesOn(Patience.TIME));
        }

        private ReleaseResult release(Wait ownWait) {
            return answer(hold.client()
                    .backend
                    .releaseToken(new ReleaseCommand(
                            hold.key(), hold.token(), hold.fencingToken(), ownWait, minHold, Slots.ONLY)));
        }
    }

    ReleaseResult withdraw(String key, LockToken token) {
        return answer(backend.releaseToken(ReleaseCommand.endOfWait(key, token)));
    }

    /**
     * Until every server has executed the commands of this client: a quorum answers before its slowest server does, and
     * commands of another client may overtake there.
     */
    void awaitExecution(String key) {
        answer(backend.inspect(key, 0));
    }

    @Override
    public void onSignal(String key, int slot) {
        (key.startsWith(PROBE) ? probes : signals).add(key);
    }

    @Override
    public void onWanted(String key) {
        if (!key.startsWith(PROBE)) {
            wanted.add(key);
        }
    }

    /** The revocations received so far, as key@fingerprint, oldest first. */
    List<String> revoked() {
        return List.copyOf(revoked);
    }

    @Override
    public void onRevoked(String key, String fingerprint) {
        revoked.add(key + "@" + fingerprint);
    }

    @Override
    public void onMailboxRestored() {
        // Not a signal: the store sent nothing to this instance.
    }

    static <R> R answer(CompletionStage<R> stage) {
        try {
            return stage.toCompletableFuture().get(Patience.TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            throw new AssertionError("A stage of a backend completes normally and in time, but: " + e, e);
        }
    }
}
