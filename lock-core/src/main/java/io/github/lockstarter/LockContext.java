package io.github.lockstarter;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The locks of asynchronous work, innermost first. No thread owns them: the context travels with the work and lets it
 * re-enter them. Immutable; thread-safe.
 *
 * <p>Each thread has two thread-locals: its running locked bodies ({@link LockTemplate} and {@link #call}) and its
 * bound context ({@link #bind}). A body records the context bound when it was entered; a different one was bound inside
 * the body and is the inner one.
 */
public final class LockContext {

    /** Key of the context in a Reactor context or a context-propagation library. */
    public static final String KEY = LockContext.class.getName();

    /** The empty context. */
    public static final LockContext NONE = new LockContext(List.of());

    private static final ThreadLocal<@Nullable Body> INNERMOST = new ThreadLocal<>();
    private static final ThreadLocal<LockContext> CARRIED = new ThreadLocal<>();

    private final List<LockHandle> handles;

    private LockContext(List<LockHandle> handles) {
        this.handles = handles;
    }

    private record Body(
            LockHandle handle,
            LockContext carried,
            @Nullable Body outer) {}

    /** {@return the context bound to this thread, or {@link #NONE}} */
    public static LockContext current() {
        LockContext carried = CARRIED.get();
        return carried == null ? NONE : carried;
    }

    /**
     * Binds this context to the thread.
     *
     * @return the previous context, to be bound again afterwards
     */
    public LockContext bind() {
        LockContext before = current();
        if (handles.isEmpty()) {
            CARRIED.remove();
        } else {
            CARRIED.set(this);
        }
        return before;
    }

    /**
     * {@return the result of work run with this context bound and its innermost lock as {@link LockHandle#current()}}
     *
     * @param <T> result
     * @param <X> exception
     * @param part work
     * @throws X from the work
     */
    public <T extends @Nullable Object, X extends Throwable> T call(LockedAction<T, X> part) throws X {
        LockContext before = bind();
        try {
            return handles.isEmpty() ? part.run() : callInside(handles.get(0), part);
        } finally {
            before.bind();
        }
    }

    static <T extends @Nullable Object, X extends Throwable> T callInside(LockHandle handle, LockedAction<T, X> body)
            throws X {
        try {
            enter(handle);
            return body.run();
        } finally {
            exit(handle);
        }
    }

    /**
     * {@return a copy with this innermost lock and without released ones, which a chain of work would accumulate}
     *
     * @param handle new innermost lock
     */
    public LockContext with(LockHandle handle) {
        List<LockHandle> further = new ArrayList<>(handles.size() + 1);
        further.add(handle);
        for (LockHandle enclosing : handles) {
            if (enclosing.state() != HoldState.RELEASED) {
                further.add(enclosing);
            }
        }
        return new LockContext(List.copyOf(further));
    }

    /** {@return the innermost lock, if any} */
    public Optional<LockHandle> innermost() {
        return handles.stream().findFirst();
    }

    /** {@return all locks, innermost first; some may be released} */
    public List<LockHandle> handles() {
        return handles;
    }

    /**
     * {@linkplain LockHandle#reenter Re-enters} the requested lock if the work holds it.
     *
     * @param request lock
     * @param heldBySource {@link LockSource#heldLocks()} of the source
     * @return a handle with its own release; empty if the lock has to be acquired, as always with a ticket
     * @throws LockLostException when the work has lost the lock
     * @throws IllegalStateException when the work holds some of the keys but no handle has all of them, so it would
     *     wait for itself
     */
    public Optional<LockHandle> reenter(LockRequest request, HeldLocks heldBySource) {
        List<LockHandle> ofSource = handles.stream()
                .filter(handle -> request.ticket().isEmpty() && handle.heldBySource() == heldBySource)
                .toList();
        for (LockHandle handle : ofSource) {
            if (handle.keys().containsAll(request.keys())) {
                Optional<LockHandle> entered = handle.reenter(request);
                if (entered.isPresent()) {
                    return entered;
                }
            }
        }
        for (LockHandle handle : ofSource) {
            if (handle.state().compareTo(HoldState.LOST) < 0
                    && handle.keys().stream().anyMatch(request.keys()::contains)) {
                throw new IllegalStateException("Cannot acquire lock '"
                        + LockRequest.printable(String.join(", ", request.keys())) + "' inside of lock '"
                        + LockRequest.printable(handle.key())
                        + "', which has some of its keys: asynchronous work would wait for itself. Acquire all keys "
                        + "together in the outer lock");
            }
        }
        return Optional.empty();
    }

    /** The innermost handle: of the innermost body, or of a context bound inside that body. */
    static Optional<LockHandle> innermostOfThread() {
        Body innermost = INNERMOST.get();
        LockContext carried = current();
        if (innermost == null) {
            return carried.innermost();
        }
        boolean ofTheBody = carried == innermost.carried || carried == NONE;
        return ofTheBody ? Optional.of(innermost.handle) : carried.innermost();
    }

    /**
     * {@link LockHandle#ensureHeld() Ensures} that all locks of this context are held, except released ones and those
     * with {@link OnLost#RETURN}.
     *
     * @return as {@link LockHandle#ensureHeldAsync()}
     */
    public CompletableFuture<Void> ensureAllHeldAsync() {
        List<LockHandle> held = checked(handles).stream()
                .filter(handle -> handle.state() != HoldState.RELEASED)
                .toList();
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (LockHandle handle : held) {
            all = all.thenCompose(any -> unlessReleased(handle, handle.ensureHeldAsync()));
        }
        return all.thenCompose(
                any -> isAnyUncertain(held) ? ensureAllHeldAsync() : CompletableFuture.completedFuture(null));
    }

    private static CompletableFuture<Void> unlessReleased(LockHandle handle, CompletableFuture<Void> held) {
        return held.exceptionallyCompose(failure -> handle.state() == HoldState.RELEASED
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(failure));
    }

    static List<LockHandle> bodiesOfThread() {
        return Stream.iterate(INNERMOST.get(), Objects::nonNull, Body::outer)
                .map(Body::handle)
                .toList();
    }

    /** Checks bodies and context. The context outlives a release, which is no failure. */
    static void ensureAllOfThread() {
        List<LockHandle> bodies = checked(bodiesOfThread());
        do {
            bodies.forEach(LockHandle::ensureHeld);
            for (LockHandle handle : checked(current().handles)) {
                try {
                    handle.ensureHeld();
                } catch (IllegalStateException released) {
                    // not lost
                }
            }
            // a lock may have been lost while this thread waited for another
        } while (isAnyUncertain(bodies) || isAnyUncertain(checked(current().handles)));
    }

    private static List<LockHandle> checked(List<LockHandle> handles) {
        return handles.stream().filter(each -> each.onLost() != OnLost.RETURN).toList();
    }

    private static boolean isAnyUncertain(List<LockHandle> handles) {
        return handles.stream()
                .map(LockHandle::state)
                .anyMatch(state -> state == HoldState.LOST || state == HoldState.IN_DOUBT);
    }

    private static void enter(LockHandle handle) {
        INNERMOST.set(new Body(handle, current(), INNERMOST.get()));
    }

    /** Removes the body, and inner ones whose removal failed with a stack overflow. */
    private static void exit(LockHandle handle) {
        Body leaving = INNERMOST.get();
        while (leaving != null && leaving.handle != handle) {
            leaving = leaving.outer;
        }
        if (leaving == null) {
            return; // it was not entered
        }
        if (leaving.outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(leaving.outer);
        }
    }

    @Override
    public String toString() {
        return "LockContext" + handles;
    }
}
