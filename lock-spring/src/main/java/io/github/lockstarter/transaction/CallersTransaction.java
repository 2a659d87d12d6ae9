package io.github.lockstarter.transaction;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Applies {@link InTransaction} to a lock that is acquired inside a transaction of the caller. Ignores locks that the
 * caller or the transaction holds already, and transactions that have completed. Thread-safe.
 */
public final class CallersTransaction {

    private static final Logger log = LoggerFactory.getLogger(CallersTransaction.class);

    private static final boolean HAS_SPRING_TX = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            CallersTransaction.class.getClassLoader());

    /** Names of locks and of transactions may be unlimited. */
    private static final int MAX_WARNINGS = 1_000;

    private final Set<Object> warned = ConcurrentHashMap.newKeySet();

    enum ReleaseTime {
        /** The caller may release: the lock does not matter to a transaction. */
        ANY_TIME,
        /** A release before the transaction's completion is to be reported. */
        TOO_EARLY,
        /** The transaction is to keep the lock. */
        AFTER_COMPLETION,
        /** The transaction keeps the lock already, and its thread re-enters it. */
        KEPT
    }

    /**
     * The code that acquires a lock.
     *
     * @param source of the lock
     * @param request lock
     * @param behaviour resolved
     * @param isThreadOwner whether the thread of the transaction owns the lock, and not asynchronous work or a handle
     * @param id subject of one warning
     * @param description subject of the sentence "… is called inside a transaction of its caller"
     * @param hasOwnTransaction whether the lock surrounds a transaction of its own, which suspends the caller's
     * @param cure remedy, as a clause
     */
    public record LockingCaller(
            LockSource source,
            LockRequest request,
            InTransaction behaviour,
            boolean isThreadOwner,
            Supplier<?> id,
            Supplier<String> description,
            BooleanSupplier hasOwnTransaction,
            String cure) {}

    /** Creates an instance that has warned of nothing. */
    public CallersTransaction() {}

    /**
     * Decides before the acquisition of a lock that is released before its caller's method returns.
     *
     * @param caller acquires the lock
     * @param refusal effect of the exception, as a clause
     * @return whether the transaction must keep the lock
     * @throws IllegalStateException if this transaction is refused
     */
    public boolean shouldKeepLock(LockingCaller caller, String refusal) {
        ReleaseTime release = releaseOf(caller);
        if (release == ReleaseTime.TOO_EARLY) {
            report(caller, refusal);
        }
        return release == ReleaseTime.AFTER_COMPLETION;
    }

    ReleaseTime releaseOf(LockingCaller caller) {
        if (!HAS_SPRING_TX) {
            return ReleaseTime.ANY_TIME;
        }
        if (caller.isThreadOwner && TransactionLocks.contain(caller.source, caller.request)) {
            return ReleaseTime.KEPT; // would wait for itself if no thread owns the kept hold
        }
        InTransaction behaviour = caller.behaviour;
        if (behaviour == InTransaction.RELEASE
                || !isInside(behaviour)
                || (behaviour == InTransaction.WARN && hasWarnedOf(caller))
                || caller.hasOwnTransaction.getAsBoolean()) {
            return ReleaseTime.ANY_TIME;
        }
        if (behaviour == InTransaction.RELEASE_AFTER && isSynchronized() && caller.isThreadOwner) {
            return ReleaseTime.AFTER_COMPLETION;
        }
        return isHeldByThisThread(caller.source, caller.request) ? ReleaseTime.ANY_TIME : ReleaseTime.TOO_EARLY;
    }

    /**
     * A transaction without synchronization shows only in the resources bound to the thread; {@code WARN} ignores it,
     * and one that writes nothing. After the completion of others, none is synchronized although one is said to be
     * active.
     */
    private static boolean isInside(InTransaction behaviour) {
        boolean active = TransactionSynchronizationManager.isActualTransactionActive();
        if (active || isSynchronized()) {
            return active
                    && isSynchronized()
                    && !CommitGuard.isCommitted()
                    && !(behaviour == InTransaction.WARN
                            && TransactionSynchronizationManager.isCurrentTransactionReadOnly());
        }
        return behaviour != InTransaction.WARN
                && TransactionSynchronizationManager.getResourceMap().values().stream()
                        .anyMatch(bound -> bound instanceof ResourceHolderSupport holder
                                && holder.isSynchronizedWithTransaction());
    }

    static boolean isSynchronized() {
        return TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * Never refuses a transaction without synchronization: it often encloses a database transaction.
     *
     * @param refusal effect of the exception, as a clause
     * @throws IllegalStateException if this transaction is refused
     */
    void report(LockingCaller caller, String refusal) {
        if (caller.behaviour == InTransaction.REFUSE && isSynchronized()) {
            throw new IllegalStateException(calledInside(caller)
                    + " must not be released before that transaction commits (inTransaction = REFUSE), so " + refusal
                    + ". " + remedy(caller));
        }
        if (!hasWarnedOf(caller) && warned.add(caller.id.get())) {
            log.warn(
                    "{} is released before that transaction commits, and the next owner may not see its writes. {}",
                    calledInside(caller),
                    remedy(caller));
        }
    }

    private boolean hasWarnedOf(LockingCaller caller) {
        return warned.contains(caller.id.get()) || warned.size() >= MAX_WARNINGS;
    }

    private static String remedy(LockingCaller caller) {
        if (!isSynchronized()) {
            return "inTransaction = " + caller.behaviour
                    + " has no effect on a transaction without synchronization (the "
                    + "default of Kafka, RabbitMQ and JMS). " + caller.cure;
        }
        String keep =
                caller.isThreadOwner ? ", or set inTransaction to RELEASE_AFTER, or to" : ", or set inTransaction to";
        String limit = caller.behaviour == InTransaction.RELEASE_AFTER
                ? "RELEASE_AFTER does not apply to asynchronous work and to requests with ownedByHandle(). "
                : "";
        return limit + caller.cure + keep + " RELEASE if the lock protects nothing in the transaction";
    }

    private static String calledInside(LockingCaller caller) {
        String name = isSynchronized() ? TransactionSynchronizationManager.getCurrentTransactionName() : null;
        return caller.description.get() + " is called inside a transaction of its caller"
                + (name == null ? "" : " (" + name + ')') + ": lock '"
                + LockRequest.printable(String.join(", ", caller.request.keys())) + "'";
    }

    /** Compares the sources: the same key in another store is another lock. */
    private static boolean isHeldByThisThread(LockSource source, LockRequest request) {
        HeldLocks held = source.heldLocks(); // null if mocked
        Set<String> bodies = LockHandle.allCurrent().stream()
                .filter(enclosing -> enclosing.heldBySource() == held)
                .flatMap(enclosing -> enclosing.keys().stream())
                .collect(Collectors.toSet());
        return request.keys().stream()
                .allMatch(key -> bodies.contains(key) || (held != null && held.isOwnedByThisThread(key)));
    }
}
