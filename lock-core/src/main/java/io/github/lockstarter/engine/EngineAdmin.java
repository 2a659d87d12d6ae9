package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operator's side of an engine, running or not. Without state of its own. */
final class EngineAdmin implements LockAdmin {

    private static final String BROKEN_PROMISE = "The lock backend failed unexpectedly: ";

    private final LockBackend backend;
    private final HeldLocks heldLocks;
    private final String instance;
    private final Supplier<@Nullable Running> runtime;

    /**
     * Creates the administration of an engine.
     *
     * @param backend where the locks are kept
     * @param heldLocks what the engine holds
     * @param instance beginning of the id under which the engine acquires
     * @param runtime what runs at the moment
     */
    EngineAdmin(LockBackend backend, HeldLocks heldLocks, String instance, Supplier<@Nullable Running> runtime) {
        this.backend = backend;
        this.heldLocks = heldLocks;
        this.instance = instance;
        this.runtime = runtime;
    }

    @Override
    public String instance() {
        return instance;
    }

    @Override
    public HeldLocks heldLocks() {
        return heldLocks;
    }

    @Override
    public List<Waiter> waiters() {
        Running running = runtime.get();
        return running == null ? List.of() : List.copyOf(running.waiters());
    }

    @Override
    public CompletableFuture<StoredLock> inspect(String key) {
        return ask(() -> backend.inspect(key), StoredLock.Unknown::new);
    }

    /** {@inheritDoc} What this instance holds is released by its lock token; for everything else the store is asked. */
    @Override
    public CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        Running running = runtime.get();
        Optional<CompletableFuture<ReleaseResult>> ended =
                running == null ? Optional.empty() : running.revoke(key, fencingToken);
        return ended.map(release -> release.thenApply(EngineAdmin::ended))
                .orElseGet(() -> ask(() -> backend.revoke(key, fencingToken), Revocation.Unknown::new));
    }

    /** Of a hold of this instance that has ended; if the store has not the token any more, it had let it go before. */
    private static Revocation ended(ReleaseResult released) {
        return released instanceof ReleaseResult.Unknown unknown
                ? new Revocation.Unknown(
                        "The holder, in this instance, has lost it; it is unknown whether the lock is free, and"
                                + " the release is repeated: " + unknown.reason())
                : new Revocation.Revoked();
    }

    @Override
    public CompletableFuture<StoreState> storeState() {
        return ask(backend::state, failure -> new StoreState("the lock store", Optional.of(failure)))
                .thenApply(this::withCrashTakeOver);
    }

    private StoreState withCrashTakeOver(StoreState state) {
        Running running = runtime.get();
        return running == null ? state : state.with(running.heartbeat.takeOver());
    }

    private static <R> CompletableFuture<R> ask(Supplier<CompletionStage<R>> question, Function<String, R> failed) {
        return BackendGuard.stageOf(question)
                .handle((result, failure) ->
                        BackendGuard.resultOf(result, failure, e -> failed.apply(BROKEN_PROMISE + e)))
                .toCompletableFuture();
    }
}
