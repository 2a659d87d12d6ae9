package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Several keys held as one: held while all are, lost with the first that is. Released in reverse order. */
final class CompositeHandle implements EngineHandle {

    private final List<EngineHandle> parts;

    /** Several handles as one, in the order of their keys. */
    CompositeHandle(List<EngineHandle> parts) {
        this.parts = List.copyOf(parts);
    }

    @Override
    public String key() {
        return String.join(", ", keys());
    }

    @Override
    public List<String> keys() {
        return parts.stream().map(EngineHandle::key).toList();
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
        return parts.stream()
                .filter(part -> part.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("This handle holds " + keys() + ", not '" + key + "'"))
                .fencingToken();
    }

    @Override
    public Duration remainingLease() {
        return parts.stream()
                .map(EngineHandle::remainingLease)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public boolean isHeld() {
        return parts.stream().allMatch(EngineHandle::isHeld);
    }

    @Override
    public HoldState state() {
        return parts.stream()
                .map(EngineHandle::state)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** What is lost first; and all anew after a wait for one of them, since others may have been lost meanwhile. */
    @Override
    public void ensureHeld() {
        do {
            parts.stream()
                    .filter(part -> part.state() == HoldState.LOST)
                    .findFirst()
                    .ifPresent(EngineHandle::ensureHeld);
            parts.forEach(EngineHandle::ensureHeld);
        } while (state() != HoldState.HELD);
    }

    /** Checks all parts again after a wait, as {@link #ensureHeld} does. */
    @Override
    public CompletableFuture<Void> ensureHeldAsync() {
        for (EngineHandle part : parts) {
            if (part.state() == HoldState.LOST) {
                return part.ensureHeldAsync();
            }
        }
        CompletableFuture<?>[] each =
                parts.stream().map(EngineHandle::ensureHeldAsync).toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(each)
                .thenCompose(
                        any -> state() == HoldState.HELD ? CompletableFuture.completedFuture(null) : ensureHeldAsync());
    }

    @Override
    public void extend(LockRequest terms) {
        if (!keys().equals(terms.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + terms.keys());
        }
        extendOn(terms);
    }

    @Override
    public void extendOn(LockRequest terms) {
        parts.forEach(part -> part.extendOn(terms));
    }

    @Override
    public void onLost(Runnable callback) {
        AtomicBoolean called = new AtomicBoolean();
        Runnable once = () -> {
            if (called.compareAndSet(false, true)) {
                callback.run();
            }
        };
        parts.forEach(part -> part.onLost(once));
    }

    @Override
    public ReleaseOutcome release() {
        return BlockingWait.awaitUninterruptibly(beginRelease());
    }

    @Override
    public CompletableFuture<ReleaseOutcome> beginRelease() {
        return releaseEach(EngineHandle::beginRelease);
    }

    /** Completed once all are released: with the first loss, if there is one. */
    @Override
    public CompletableFuture<ReleaseOutcome> closeAsync() {
        return releaseEach(LockHandle::closeAsync);
    }

    /** The worst that became of any part. */
    private CompletableFuture<ReleaseOutcome> releaseEach(
            Function<EngineHandle, CompletableFuture<ReleaseOutcome>> release) {
        return releaseEach(parts, release);
    }

    private static CompletableFuture<ReleaseOutcome> releaseEach(
            List<EngineHandle> parts, Function<EngineHandle, CompletableFuture<ReleaseOutcome>> release) {
        List<CompletableFuture<ReleaseOutcome>> releasing = new ArrayList<>(parts.size());
        Throwable failure = null;
        for (int i = parts.size() - 1; i >= 0; i--) {
            try {
                releasing.add(release.apply(parts.get(i)));
            } catch (RuntimeException | Error e) {
                failure = e; // the others are released all the same
            }
        }
        return failure == null ? worst(releasing) : CompletableFuture.failedFuture(failure);
    }

    /** Releases handles that no caller has got. */
    static CompletableFuture<ReleaseOutcome> giveBack(List<EngineHandle> unused) {
        return releaseEach(unused, each -> {
            each.keepNothing();
            return each.beginRelease();
        });
    }

    @Override
    public Optional<LockHandle> reenter(LockRequest request) {
        if (!keys().containsAll(request.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + request.keys());
        }
        List<EngineHandle> asked = parts.stream()
                .filter(part -> request.keys().contains(part.key()))
                .toList();
        return enterAgain(asked, request).map(LockHandle.class::cast);
    }

    @Override
    public Optional<EngineHandle> enterAgain(LockRequest request) {
        return enterAgain(parts, request);
    }

    private static Optional<EngineHandle> enterAgain(List<EngineHandle> parts, LockRequest request) {
        List<EngineHandle> entered = new ArrayList<>(parts.size());
        try {
            for (EngineHandle part : parts) {
                Optional<EngineHandle> one = part.enterAgain(request);
                if (one.isEmpty()) {
                    giveBack(entered);
                    return Optional.empty();
                }
                entered.add(one.get());
            }
        } catch (RuntimeException | Error e) {
            giveBack(entered);
            throw e;
        }
        return Optional.of(entered.size() == 1 ? entered.get(0) : new CompositeHandle(entered));
    }

    @Override
    public void keepNothing() {
        parts.forEach(EngineHandle::keepNothing);
    }

    private static CompletableFuture<ReleaseOutcome> worst(List<CompletableFuture<ReleaseOutcome>> releasing) {
        CompletableFuture<ReleaseOutcome> worst = CompletableFuture.completedFuture(ReleaseOutcome.ALREADY_RELEASED);
        for (CompletableFuture<ReleaseOutcome> each : releasing) {
            worst = worst.thenCombine(each, (one, other) -> weight(one) >= weight(other) ? one : other);
        }
        return worst;
    }

    private static int weight(ReleaseOutcome outcome) {
        return switch (outcome) {
            case ALREADY_RELEASED -> 0;
            case STILL_HELD -> 1;
            case RELEASED -> 2;
            case UNKNOWN -> 3;
            case LOST -> 4;
        };
    }

    /** Releases every part, and then throws the first loss with the others suppressed. */
    @Override
    public void close() {
        RuntimeException first = null;
        Error error = null;
        for (int i = parts.size() - 1; i >= 0; i--) {
            try {
                parts.get(i).close();
            } catch (Error e) {
                error = e;
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (error != null) {
            throw error;
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public String toString() {
        return "LockHandle" + parts;
    }
}
