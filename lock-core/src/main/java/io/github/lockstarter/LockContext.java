package io.github.lockstarter;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The locks under which asynchronous work runs, innermost first. No thread owns them: the work carries them along, in
 * the Reactor context of its subscriber or from thread to thread, and by them it enters a lock again that it holds.
 * Immutable; thread-safe.
 *
 * <p>Two facts are kept for each thread: the locked bodies that run on it, entered and left by {@link LockTemplate} and
 * {@link #call}; and the context that it carries, set by {@link #bind}. Each body knows the context that the thread
 * carried when it was entered: another one was bound inside of the body, and is nearer.
 */
public final class LockContext {

    /** Name of the context among the values that a Reactor context or a context-propagation library carries. */
    public static final String KEY = LockContext.class.getName();

    /** Outside of any lock. */
    public static final LockContext NONE = new LockContext(List.of());

    private static final ThreadLocal<@Nullable Body> INNERMOST = new ThreadLocal<>();
    private static final ThreadLocal<LockContext> CARRIED = new ThreadLocal<>();

    private final List<LockHandle> handles;

    private LockContext(List<LockHandle> handles) {
        this.handles = handles;
    }

    /** A locked body that runs on this thread, inside of another one or of none. */
    private record Body(
            LockHandle handle,
            LockContext carried,
            @Nullable Body outer) {}

    /**
     * The context that this thread carries.
     *
     * @return the context; {@link #NONE} if it carries none
     */
    public static LockContext current() {
        LockContext carried = CARRIED.get();
        return carried == null ? NONE : carried;
    }

    /**
     * Has this thread carry the context, until another one is bound. Bind the one of before again.
     *
     * @return the one of before
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
     * Runs a part of the work, which finds the innermost lock by {@link LockHandle#current()}, and this context on its
     * thread.
     *
     * @param <T> the result of the part
     * @param <X> what the part may throw
     * @param part what to run
     * @return what it returns
     * @throws X when the part throws it
     */
    public <T extends @Nullable Object, X extends Throwable> T call(LockedAction<T, X> part) throws X {
        LockContext before = bind();
        try {
            return handles.isEmpty() ? part.run() : callInside(handles.get(0), part);
        } finally {
            before.bind();
        }
    }

    /** Runs a locked body on this thread. */
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
     * The context of work inside of one lock more, and without those that were released: work that starts the next work
     * would pass on all that went before. A lost lock stays, so that entering it again fails.
     *
     * @param handle the lock, which becomes the innermost
     * @return the further context
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

    /**
     * The innermost lock.
     *
     * @return its handle; empty outside of any
     */
    public Optional<LockHandle> innermost() {
        return handles.stream().findFirst();
    }

    /**
     * All locks, the innermost first, some of which may have been released.
     *
     * @return their handles; empty outside of any
     */
    public List<LockHandle> handles() {
        return handles;
    }

    /**
     * {@linkplain LockHandle#reenter Enters} the lock that a request asks for once more, if the work holds it.
     *
     * @param request what the work asks for
     * @param heldBySource {@link LockSource#heldLocks()} of what it asks: a lock with the same key that another source
     *     granted is another lock
     * @return a handle with a release of its own; empty if the lock has to be acquired
     * @throws LockLostException when the work held the lock and has lost it
     * @throws IllegalStateException when the work holds some of the keys, and no single handle of it has all of them:
     *     it would wait for itself
     */
    public Optional<LockHandle> reenter(LockRequest request, HeldLocks heldBySource) {
        List<LockHandle> ofSource = handles.stream()
                .filter(handle -> handle.heldBySource() == heldBySource)
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

    /** The handle of the innermost body that runs on this thread, or of the context that was bound inside of it. */
    static Optional<LockHandle> innermostOfThread() {
        Body innermost = INNERMOST.get();
        LockContext carried = current();
        if (innermost == null) {
            return carried.innermost();
        }
        boolean isOfTheBody = carried == innermost.carried || carried == NONE;
        return isOfTheBody ? Optional.of(innermost.handle) : carried.innermost();
    }

    /** The handles of the bodies that run on this thread, innermost first. */
    static List<LockHandle> bodiesOfThread() {
        return Stream.iterate(INNERMOST.get(), Objects::nonNull, Body::outer)
                .map(Body::handle)
                .toList();
    }

    /** A released lock of a carried context is no failure: what runs on behind its release was given the context. */
    static void ensureAllOfThread() {
        List<LockHandle> bodies = bodiesOfThread();
        do {
            bodies.forEach(LockHandle::ensureHeld);
            for (LockHandle handle : current().handles) {
                try {
                    handle.ensureHeld();
                } catch (IllegalStateException released) {
                    // not lost
                }
            }
        } while (isAnyUncertain(bodies)); // one may have been lost while this thread waited for another
    }

    private static boolean isAnyUncertain(List<LockHandle> bodies) {
        return Stream.concat(bodies.stream(), current().handles.stream())
                .map(LockHandle::state)
                .anyMatch(state -> state == HoldState.LOST || state == HoldState.IN_DOUBT);
    }

    private static void enter(LockHandle handle) {
        INNERMOST.set(new Body(handle, current(), INNERMOST.get()));
    }

    /**
     * Removes the body, and inner bodies whose removal failed with a stack overflow. The last removal clears the
     * thread-local.
     */
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
