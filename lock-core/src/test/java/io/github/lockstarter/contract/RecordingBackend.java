package io.github.lockstarter.contract;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.testing.ForwardingBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Passes every command on, and writes down in which order they were sent. Can answer renewals in place of the backend.
 */
public final class RecordingBackend extends ForwardingBackend {

    public enum Verb {
        ACQUIRE,
        RENEW,
        RELEASE,
        WITHDRAW
    }

    public record Sent(Verb verb, String key, String token) {}

    private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    private final Queue<Duration> renewedFor = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failingRenewals = new AtomicInteger();
    private final OpenCommands open;
    private volatile @Nullable SignalListener listener;

    public RecordingBackend(LockBackend backend) {
        this(backend, new OpenCommands());
    }

    RecordingBackend(LockBackend backend, OpenCommands open) {
        super(backend);
        this.open = open;
    }

    public List<Sent> sent() {
        return List.copyOf(sent);
    }

    public long count(Verb verb, String key) {
        return sent.stream()
                .filter(one -> one.verb() == verb && one.key().equals(key))
                .count();
    }

    public long count(Verb verb) {
        return sent.stream().filter(one -> one.verb() == verb).count();
    }

    public List<Duration> renewedFor() {
        return List.copyOf(renewedFor);
    }

    /** Answers at least this many of the next renewals as unknown without sending them. */
    public void failRenewals(int number) {
        failingRenewals.set(number);
    }

    /** Delivers a spurious signal. */
    public void signalFalsely(String key) {
        Objects.requireNonNull(listener, "the engine listens").onSignal(key, 0);
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        sent.add(new Sent(Verb.ACQUIRE, command.key(), command.token().value()));
        return open.count(() -> backend.attemptAcquire(command));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        commands.forEach(command -> {
            sent.add(new Sent(Verb.RENEW, command.key(), command.token().value()));
            renewedFor.add(command.lease());
        });
        if (failingRenewals.get() == 0) {
            return backend.renewLeases(commands).stream()
                    .map(renewal -> open.count(() -> renewal))
                    .toList();
        }
        failingRenewals.updateAndGet(left -> Math.max(0, left - commands.size()));
        return commands.stream().map(command -> plantedFailure()).toList();
    }

    private static CompletionStage<RenewResult> plantedFailure() {
        return CompletableFuture.completedFuture(
                new RenewResult.Unknown("planted", new IllegalStateException("planted failure of one renewal")));
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        Verb verb = command.endsWait() ? Verb.WITHDRAW : Verb.RELEASE;
        sent.add(new Sent(verb, command.key(), command.token().value()));
        return backend.releaseToken(command);
    }

    @Override
    public void listen(String instanceId, SignalListener signals) {
        listener = signals;
        super.listen(instanceId, signals);
    }
}
