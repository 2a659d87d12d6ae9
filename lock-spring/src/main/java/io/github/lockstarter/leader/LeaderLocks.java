package io.github.lockstarter.leader;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The locks of the roles as methods with {@link LeaderOnly} see them: the leader enters the lock that it has once more,
 * and all others are refused at once. The lock of role {@code billing} has the key {@code leader:billing} and the name
 * {@code leader.billing}. Thread-safe.
 *
 * @param entry enters the lock of a role; empty if this instance does not certainly lead it
 * @param heldLocks what this instance holds
 */
public record LeaderLocks(Function<String, Optional<LockHandle>> entry, HeldLocks heldLocks) implements LockSource {

    /** Name of the bean. */
    public static final String BEAN = "leaderLocks";

    private static final String NAME_PREFIX = "leader.";
    private static final Pattern ROLE = Pattern.compile("[A-Za-z0-9._-]+");

    /**
     * The request for the lock of a role, which its owner holds for as long as it runs: the longest hold of the
     * configuration bounds sections, and has no effect here.
     *
     * @param role the role
     * @return the request, which does not wait
     * @throws IllegalArgumentException when the role has characters that the name of a lock cannot have, or none
     */
    public static LockRequest requestFor(String role) {
        if (!ROLE.matcher(role).matches()) {
            throw new IllegalArgumentException("The role '" + LockRequest.printable(role)
                    + "' is not a name of letters, digits, '.', '_' and '-'. Rename it, such as 'billing'");
        }
        return LockRequest.of("leader:" + role)
                .named(NAME_PREFIX + role)
                .withRenewal()
                .renewedUpTo(LockRequest.MAX_DURATION)
                .withoutWaiting();
    }

    /**
     * The role that a lock belongs to.
     *
     * @param name the name of the lock
     * @return the role; empty if it is the lock of no role
     */
    public static Optional<String> roleOf(String name) {
        return name.startsWith(NAME_PREFIX) ? Optional.of(name.substring(NAME_PREFIX.length())) : Optional.empty();
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return tryAcquire(request).orElseThrow(() -> refused(request));
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return roleOf(request.name()).flatMap(entry);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        return CompletableFuture.completedFuture(request).thenApply(this::acquire);
    }

    static LockNotAcquiredException refused(LockRequest request) {
        return new LockNotAcquiredException(
                request.keys().get(0),
                "This instance does not lead the role of lock '" + request.name() + "'. Ask isLeader() first");
    }
}
