package io.github.lockstarter.testing;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Passes every call on to another backend, and every message of it; a subclass records some of them. */
public abstract class ForwardingBackend implements LockBackend {

    protected final LockBackend backend;

    protected ForwardingBackend(LockBackend backend) {
        this.backend = backend;
    }

    /** Another instance waits for a lock of the engine; called before the engine receives it. */
    protected void wanted(String key) {}

    /** A signal; called before the engine receives it. */
    protected void signalled(String key) {}

    @Override
    public StoreCapabilities capabilities() {
        return backend.capabilities();
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        return backend.attemptAcquire(command);
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return backend.renewLeases(commands);
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        return backend.releaseToken(command);
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return backend.inspect(key, slot);
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return backend.revoke(key, slot, fencingToken);
    }

    @Override
    public CompletionStage<StoreState> state() {
        return backend.state();
    }

    @Override
    public CompletionStage<Map<String, String>> diagnosis() {
        return backend.diagnosis();
    }

    @Override
    public Optional<CrashDetection> crashDetection() {
        return backend.crashDetection();
    }

    @Override
    public StoreState.CrashTakeover crashTakeover() {
        return backend.crashTakeover();
    }

    @Override
    public boolean isSilence(Throwable failure) {
        return backend.isSilence(failure);
    }

    @Override
    public Optional<String> serverOf(String key) {
        return backend.serverOf(key);
    }

    @Override
    public void listen(String instanceId, SignalListener signals) {
        backend.listen(instanceId, new Receiver(this, signals));
    }

    /** Equal for one engine, as backends require of the listener of an engine that starts again. */
    private record Receiver(ForwardingBackend backend, SignalListener signals) implements SignalListener {

        @Override
        public void onSignal(String key, int slot) {
            backend.signalled(key);
            signals.onSignal(key, slot);
        }

        @Override
        public void onWanted(String key) {
            backend.wanted(key);
            signals.onWanted(key);
        }

        @Override
        public void onRevoked(String key, String fingerprint) {
            signals.onRevoked(key, fingerprint);
        }

        @Override
        public void onMailboxOpened() {
            signals.onMailboxOpened();
        }

        @Override
        public void onMailboxRestored() {
            signals.onMailboxRestored();
        }

        @Override
        public void onStoreEvent(StoreEvent event) {
            signals.onStoreEvent(event);
        }
    }

    @Override
    public String toString() {
        return backend.toString();
    }

    @Override
    public void close() {
        backend.close();
    }
}
