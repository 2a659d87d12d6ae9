package io.github.lockstarter.leader;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The locks for {@link LeaderOnly} methods: the leader re-enters its lock, other instances are rejected at once.
 * Thread-safe.
 *
 * @param reenter see {@link LeaderElection#enter}
 * @param heldLocks locks of this instance
 */
public record LeaderLocks(Function<String, Optional<LockHandle>> reenter, HeldLocks heldLocks) implements LockSource {

    /** The bean name. */
    public static final String BEAN = "leaderLocks";

    private static final String NAME_PREFIX = "leader.";
    private static final Pattern ROLE = Pattern.compile("[A-Za-z0-9._-]+");

    /**
     * {@return the request for a role's lock, without a wait or the configured maximum hold, in a transaction or not}
     *
     * @param role role
     * @throws IllegalArgumentException if the role has no or other characters than a lock name
     */
    public static LockRequest requestFor(String role) {
        if (!ROLE.matcher(role).matches()) {
            throw new IllegalArgumentException("The role '" + LockRequest.printable(role)
                    + "' is not a name of letters, digits, '.', '_' and '-'. Rename it, such as 'billing'");
        }
        return LockRequest.of("leader:" + role)
                .named(NAME_PREFIX + role)
                .withRenewal()
                .maxHold(LockRequest.MAX_DURATION)
                .withoutWaiting()
                .inTransaction(InTransaction.RELEASE);
    }

    /**
     * {@return the role of a lock; empty if it has none}
     *
     * @param name lock's name
     */
    public static Optional<String> roleOf(String name) {
        return name.startsWith(NAME_PREFIX) ? Optional.of(name.substring(NAME_PREFIX.length())) : Optional.empty();
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return tryAcquire(request).orElseThrow(() -> notLeader(request));
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return roleOf(request.name()).flatMap(reenter);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        return CompletableFuture.completedFuture(request).thenApply(this::acquire);
    }

    static LockNotAcquiredException notLeader(LockRequest request) {
        return new LockNotAcquiredException(
                request.keys().get(0),
                "This instance does not lead the role of lock '" + request.name() + "'. Ask isLeader() first");
    }
}
