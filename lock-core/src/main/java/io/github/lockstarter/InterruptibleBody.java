package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * A body whose thread is interrupted when its lock is lost. It is running until the loss interrupts it or its thread
 * leaves it, and is never interrupted after that.
 *
 * <p>A thread of the lock client interrupts, the body's own thread leaves. The bodies of one thread share the monitor
 * of the outermost one, which guards their state: a thread that leaves waits for an interrupt that is being delivered.
 * A body that leaves clears the flag that it has set, and sets it again for an enclosing one that was interrupted while
 * it ran. A flag that was set before the loss belongs to other code and stays.
 */
final class InterruptibleBody {

    private static final ThreadLocal<@Nullable InterruptibleBody> INNERMOST = new ThreadLocal<>();

    private final Thread thread = Thread.currentThread();
    private final @Nullable InterruptibleBody outer = INNERMOST.get();
    private final InterruptibleBody outermost = outer == null ? this : outer.outermost;

    /** Steps in which this body was entered and interrupted; zero if it was not. */
    private long entered;

    private long interrupted;
    private boolean left;

    /** Of all bodies of which this is the outermost. */
    private long steps;

    /** The loss of this body's lock, not another one and not other code, has set the flag. */
    private boolean flagged;

    /** Runs the action; its thread is interrupted when the lock is lost meanwhile. */
    static <T extends @Nullable Object, X extends Throwable> T run(LockHandle handle, LockedAction<T, X> action)
            throws X {
        InterruptibleBody body = enter();
        try {
            handle.afterLost(body::interrupt);
            return action.run();
        } finally {
            body.leave();
        }
    }

    static InterruptibleBody enter() {
        InterruptibleBody body = new InterruptibleBody();
        synchronized (body.outermost) {
            body.entered = ++body.outermost.steps;
        }
        INNERMOST.set(body);
        return body;
    }

    void interrupt() {
        synchronized (outermost) {
            if (interrupted == 0 && !left) {
                interrupted = ++outermost.steps;
                setFlag();
            }
        }
    }

    /** By the body's thread. */
    void leave() {
        synchronized (outermost) {
            left = true;
            if (flagged) {
                Thread.interrupted();
            }
            for (InterruptibleBody each = outer; each != null; each = each.outer) {
                if (each.interrupted > entered) {
                    each.setFlag();
                }
            }
        }
        INNERMOST.set(outer);
    }

    private void setFlag() {
        if (!thread.isInterrupted()) {
            flagged = true;
            thread.interrupt();
        }
    }
}
