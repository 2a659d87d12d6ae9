package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Stream;

/** Several locks as one handle: held while all are, lost with the first. Released in reverse order. */
final class CompositeHandle implements LockHandle {

    private static final CompletableFuture<ReleaseOutcome> NONE =
            CompletableFuture.completedFuture(ReleaseOutcome.ALREADY_RELEASED);

    private final List<Handle> parts;

    /** The key of the part whose callbacks run; empty until then. */
    private final AtomicReference<String> lostFirst = new AtomicReference<>("");

    CompositeHandle(List<Handle> parts) {
        this.parts = List.copyOf(parts);
    }

    @Override
    public String key() {
        return String.join(", ", keys());
    }

    @Override
    public List<String> keys() {
        return parts.stream().map(Handle::key).toList();
    }

    @Override
    public HeldLocks heldBySource() {
        return parts.get(0).heldBySource();
    }

    @Override
    public long fencingToken() {
        throw new IllegalStateException(
                "Each of the locks " + keys() + " has a fencing token of its own; ask fencingToken(key)");
    }

    @Override
    public long fencingToken(String key) {
        return part(key).fencingToken();
    }

    @Override
    public int slot(String key) {
        return part(key).slot();
    }

    private Handle part(String key) {
        return parts.stream()
                .filter(part -> part.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("This handle holds " + keys() + ", not '" + key + "'"));
    }

    @Override
    public Duration remainingLease() {
        return parts.stream()
                .map(Handle::remainingLease)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public boolean isHeld() {
        return state() == HoldState.HELD;
    }

    @Override
    public HoldState state() {
        return parts.stream().map(Handle::state).max(Comparator.naturalOrder()).orElseThrow();
    }

    /** Checks all parts again after waiting for one, since another may be lost meanwhile. */
    @Override
    public void ensureHeld() {
        do {
            lostFirst().forEach(Handle::ensureHeld);
        } while (!isHeld());
    }

    @Override
    public CompletableFuture<Void> ensureHeldAsync() {
        return parts.get(0).hold.lock.running.events.completedForCallers(beginEnsureHeld());
    }

    /** {@link #ensureHeldAsync()}, completed by any thread, such as an event loop. */
    CompletableFuture<Void> beginEnsureHeld() {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (Handle part : lostFirst()) {
            all = all.thenCompose(any -> part.beginEnsureHeld());
        }
        return all.thenCompose(any -> isHeld() ? CompletableFuture.completedFuture(null) : beginEnsureHeld());
    }

    /** The caller detects a loss before it waits for a part in doubt. */
    private List<Handle> lostFirst() {
        return Stream.concat(parts.stream().filter(part -> part.state() == HoldState.LOST), parts.stream())
                .toList();
    }

    @Override
    public void extend(LockRequest request) {
        if (!keys().equals(request.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + request.keys());
        }
        parts.forEach(part -> part.checkExtension(request)); // before any is sent
        parts.forEach(part -> part.extendLease(request)); // all before one continues on the terms
        parts.forEach(part -> part.continueOn(request.terms()));
    }

    @Override
    public void downgrade() {
        throw new IllegalStateException("Several locks are not downgraded in one step: " + keys());
    }

    @Override
    public void onLost(Runnable callback) {
        parts.forEach(part -> part.onLost(ofLostFirst(part.key(), callback)));
    }

    @Override
    public void afterLost(Runnable callback) {
        parts.forEach(part -> part.afterLost(ofLostFirst(part.key(), callback)));
    }

    /** Runs for one part alone, so in the order of its callbacks. Keeps no handle reachable. */
    private Runnable ofLostFirst(String key, Runnable callback) {
        AtomicReference<String> first = lostFirst;
        return () -> {
            first.compareAndSet("", key);
            if (key.equals(first.get())) {
                callback.run();
            }
        };
    }

    /** The strictest one: a part that was held already has the term of its first acquisition. */
    @Override
    public OnLost onLost() {
        return Stream.of(OnLost.INTERRUPT, OnLost.THROW)
                .filter(strict -> parts.stream().anyMatch(part -> part.onLost() == strict))
                .findFirst()
                .orElse(OnLost.RETURN);
    }

    @Override
    public void recordSuccess() {
        if (state().compareTo(HoldState.LOST) < 0) {
            parts.forEach(Handle::recordSuccess);
        }
    }

    @Override
    public ReleaseOutcome release() {
        return BlockingWait.awaitUninterruptibly(each(parts, Handle::beginRelease));
    }

    @Override
    public CompletableFuture<ReleaseOutcome> closeAsync() {
        return each(parts, Handle::closeAsync);
    }

    /** Releases handles that no caller has received. */
    static CompletableFuture<ReleaseOutcome> giveBack(List<Handle> unused) {
        return each(unused, Handle::giveBack).exceptionally(failure -> ReleaseOutcome.UNKNOWN);
    }

    /** Completed with the most severe outcome or the first failure. */
    private static CompletableFuture<ReleaseOutcome> each(
            List<Handle> parts, Function<Handle, CompletableFuture<ReleaseOutcome>> release) {
        CompletableFuture<ReleaseOutcome> worst = NONE;
        Throwable failure = null;
        for (int i = parts.size() - 1; i >= 0; i--) {
            try {
                worst = worst.thenCombine(release.apply(parts.get(i)), BinaryOperator.maxBy(Comparator.naturalOrder()));
            } catch (RuntimeException | Error e) {
                failure = failure == null ? e : failure; // still release the others
            }
        }
        return failure == null ? worst : CompletableFuture.failedFuture(failure);
    }

    /**
     * Throws the first failure with the others suppressed. A loop, since recursion would limit the number of locks.
     * Allocates nothing before the first release.
     */
    @Override
    public void close() {
        Throwable first = null;
        for (int i = parts.size() - 1; i >= 0; i--) {
            try {
                parts.get(i).close();
            } catch (RuntimeException | Error e) {
                first = first == null ? e : withSuppressed(first, e);
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
    }

    private static Throwable withSuppressed(Throwable first, Throwable further) {
        try {
            first.addSuppressed(further);
        } catch (IllegalArgumentException | OutOfMemoryError full) {
            // The JVM throws the same error again when memory is full.
        }
        return first;
    }

    @Override
    public Optional<LockHandle> reenter(LockRequest request) {
        if (!keys().containsAll(request.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + request.keys());
        }
        ResolvedRequest resolved = parts.get(0).resolved(request);
        ResolvedRequest entry = resolved.withoutMinHold();
        List<Handle> entered = new ArrayList<>(parts.size());
        boolean complete = false;
        try {
            for (Handle part : parts) {
                if (request.keys().contains(part.key())) {
                    part.enterAgain(entry).ifPresent(entered::add);
                }
            }
            if (entered.size() < request.keys().size()) {
                return Optional.empty(); // being released
            }
            Optional<LockHandle> all = Optional.of(entered.size() == 1 ? entered.get(0) : new CompositeHandle(entered));
            entered.forEach(part -> part.hold.lock.keepFor(part, resolved));
            complete = true;
            return all;
        } finally {
            if (!complete) {
                giveBack(entered);
            }
        }
    }

    @Override
    public String toString() {
        return "LockHandle" + parts;
    }
}
