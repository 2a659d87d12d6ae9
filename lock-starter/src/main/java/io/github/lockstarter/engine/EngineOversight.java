package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockOversight;
import io.github.lockstarter.spi.LockBackend;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operator's side of an engine, running or not. Without state of its own. */
final class EngineOversight implements LockOversight {

    private static final String BROKEN_PROMISE = "The lock backend failed unexpectedly: ";

    private final LockBackend backend;
    private final HeldLocks heldLocks;
    private final String instance;
    private final Supplier<@Nullable Session> session;

    /**
     * An oversight.
     *
     * @param backend where the locks are kept
     * @param heldLocks what the engine holds
     * @param instance beginning of the id under which the engine acquires
     * @param session what runs at the moment
     */
    EngineOversight(LockBackend backend, HeldLocks heldLocks, String instance, Supplier<@Nullable Session> session) {
        this.backend = backend;
        this.heldLocks = heldLocks;
        this.instance = instance;
        this.session = session;
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
        Session running = session.get();
        return running == null ? List.of() : List.copyOf(running.waiters());
    }

    @Override
    public CompletableFuture<StoredLock> inspect(String key) {
        return ask(() -> backend.inspect(key), StoredLock.Unknown::new);
    }

    @Override
    public CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        Session running = session.get();
        Optional<Hold> ended = running == null ? Optional.empty() : running.revoke(key, fencingToken);
        long lastOfOwner = ended.map(hold -> hold.tenure.lastFencingToken).orElse(fencingToken);
        return ask(() -> backend.revoke(key, lastOfOwner), Revocation.Unknown::new)
                .thenApply(revocation -> ended.isPresent() && revocation instanceof Revocation.Stale
                        ? new Revocation.Revoked() // its holder has lost it, and the store had let it go before
                        : revocation);
    }

    @Override
    public CompletableFuture<StoreState> storeState() {
        return ask(backend::state, failure -> new StoreState("the lock store", Optional.of(failure)));
    }

    private static <R> CompletableFuture<R> ask(Supplier<CompletionStage<R>> question, Function<String, R> failed) {
        try {
            return Objects.requireNonNull(question.get(), "stage")
                    .toCompletableFuture()
                    .exceptionally(failure -> failed.apply(BROKEN_PROMISE + failure));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(failed.apply(BROKEN_PROMISE + e));
        }
    }
}
