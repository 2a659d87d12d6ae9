package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.Waiter;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.actuate.LocksReport.Held;
import io.github.lockstarter.actuate.LocksReport.Stored;
import io.github.lockstarter.actuate.LocksReport.Waiting;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * {@code /actuator/locks}: the locks that this instance holds and its waiting callers, from memory; for a single key
 * also the store's answer.
 *
 * <p>Keys may contain identifiers of people or orders. They are masked unless {@code
 * management.endpoint.locks.show-values} allows them. The endpoint is exposed only if {@code
 * management.endpoints.web.exposure.include} names it, and the release operation needs {@code
 * management.endpoint.locks.access=unrestricted}.
 *
 * <p>HTTP only, because JMX has no users.
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    /** Type of the audit events. */
    public static final String AUDIT_TYPE = "DISTRIBUTED_LOCK_RELEASE";

    private static final int DEFAULT_LIMIT = 100;
    private static final int CONFLICT = 409;
    private static final String UNKNOWN_USER = "unknown";

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");

    private final LockAdmin locks;
    private final Map<String, LockAdmin> furtherLocks;
    private final ApplicationEventPublisher events;
    private final Show showValues;
    private final Set<String> roles;

    /**
     * Creates the endpoint.
     *
     * @param locks the default locks
     * @param furtherLocks those of further stores, by {@code LockOperations} bean name
     * @param events publishes the audit events
     * @param showValues when to show keys
     * @param roles roles of authorized users; if empty, every authenticated user is authorized
     */
    public LocksEndpoint(
            LockAdmin locks,
            Map<String, LockAdmin> furtherLocks,
            ApplicationEventPublisher events,
            Show showValues,
            Set<String> roles) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.furtherLocks = Map.copyOf(furtherLocks);
        this.events = Objects.requireNonNull(events, "events");
        this.showValues = Objects.requireNonNull(showValues, "showValues");
        this.roles = Set.copyOf(roles);
    }

    /**
     * Returns the held locks and the waiters.
     *
     * @param security the user
     * @param key selects one lock and asks the store about it
     * @param limit maximum length of each list, 100 by default
     * @param locks {@code LockOperations} bean of a further store, such as {@code zookeeperLocks}; by default that of
     *     {@code distributed-lock.backend}
     * @param slot slot to ask the store about, for a lock with several permits; the first by default
     * @return the locks
     */
    // Spring's @Nullable is deprecated in Framework 7, but with JSpecify's, Boot 3.5 answers 400 if the parameter is
    // missing.
    @SuppressWarnings("deprecation")
    @ReadOperation
    public LocksReport locks(
            SecurityContext security,
            @Nullable String key,
            @Nullable Integer limit,
            @Nullable String locks,
            @Nullable Integer slot) {
        LockAdmin asked = admin(locks);
        int most = limit == null ? DEFAULT_LIMIT : limit;
        if (most < 1) {
            throw new InvalidEndpointRequestException("The limit is " + most + "; give 1 or more", "limit");
        }
        boolean shown = key != null || showValues.isShown(security, roles); // the caller knows the key
        Instant now = Instant.now();
        List<HeldLock> held = asked.heldLocks().snapshot().stream()
                .filter(lock -> key == null || key.equals(lock.key()))
                .toList();
        List<Waiter> waiting = asked.waiters().stream()
                .filter(waiter -> key == null || key.equals(waiter.key()))
                .toList();
        return new LocksReport(
                asked.instance(),
                held.size(),
                waiting.size(),
                held.stream().limit(most).map(lock -> Held.of(lock, shown)).toList(),
                waiting.stream()
                        .limit(most)
                        .map(waiter -> Waiting.of(waiter, now, shown))
                        .toList(),
                key == null
                        ? null
                        : Stored.of(StoreTimeout.await(asked.inspect(key, checked(slot)), StoredLock.Unknown::new)));
    }

    @SuppressWarnings("deprecation") // Spring's @Nullable, as above
    private static int checked(@Nullable Integer slot) {
        if (slot != null && (slot < 0 || slot >= LockRequest.MOST_PERMITS)) {
            throw new InvalidEndpointRequestException(
                    "The slot is " + slot + "; give 0 to " + (LockRequest.MOST_PERMITS - 1), "slot");
        }
        return slot == null ? 0 : slot;
    }

    @SuppressWarnings("deprecation") // Spring's @Nullable, as above
    private LockAdmin admin(@Nullable String bean) {
        LockAdmin admin = bean == null ? locks : furtherLocks.get(bean);
        if (admin == null) {
            throw new InvalidEndpointRequestException(
                    "There is no further store '" + bean + "'; there are " + furtherLocks.keySet(), "locks");
        }
        return admin;
    }

    /**
     * Releases a lock of any instance. Its holder is notified but not stopped: its work may overlap with the next
     * owner's.
     *
     * @param security the user, for the audit event
     * @param key the lock's key
     * @param fencingToken the expected token; nothing happens if it has changed
     * @param reason for the audit event
     * @param locks as for the read operation
     * @param slot slot of a lock with several permits; the first by default
     * @return 200 if the lock is free, 409 if it has another fencing token or an owner without one, 503 if the outcome
     *     is unknown
     */
    @SuppressWarnings("deprecation") // Spring's @Nullable, as above
    @WriteOperation
    public WebEndpointResponse<ReleaseReport> release(
            SecurityContext security,
            String key,
            long fencingToken,
            String reason,
            @Nullable String locks,
            @Nullable Integer slot) {
        LockAdmin asked = admin(locks);
        if (reason.isBlank()) {
            throw new InvalidEndpointRequestException("Give a reason for the release", "reason");
        }
        ReleaseReport release = ReleaseReport.of(
                StoreTimeout.await(asked.revoke(key, checked(slot), fencingToken), Revocation.Unknown::new));
        String principal = security.getPrincipal() == null
                ? UNKNOWN_USER
                : security.getPrincipal().getName();
        log.warn(
                "{} requested the release of lock '{}' (fencing token {}){}: {}. Outcome: {}",
                principal,
                LockRequest.printable(key),
                fencingToken,
                locks == null ? "" : " of " + locks,
                LockRequest.printable(reason),
                release.outcome());
        Map<String, Object> data = Map.of(
                "key", key,
                "locks", Objects.requireNonNullElse(locks, ""),
                "slot", checked(slot),
                "fencingToken", fencingToken,
                "reason", reason,
                "outcome", release.outcome().name().toLowerCase(Locale.ROOT),
                "instance", asked.instance());
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(principal, AUDIT_TYPE, data)));
        return new WebEndpointResponse<>(
                release,
                switch (release.outcome()) {
                    case RELEASED -> WebEndpointResponse.STATUS_OK;
                    case STALE, FOREIGN -> CONFLICT;
                    case UNKNOWN -> WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
                });
    }
}
