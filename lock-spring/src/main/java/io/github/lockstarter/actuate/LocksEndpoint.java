package io.github.lockstarter.actuate;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockRequest;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * {@code /actuator/locks}: the locks that this instance of the application holds at the moment, and its callers that
 * wait for one. Answered from memory; for a single key, the endpoint also asks the store.
 *
 * <p>Keys may contain identifiers of people or orders: they are masked unless
 * {@code management.endpoint.locks.show-values} says otherwise, and nothing is exposed over HTTP unless
 * {@code management.endpoints.web.exposure.include} names it. The operation that takes a lock away needs
 * {@code management.endpoint.locks.access=unrestricted}.
 *
 * <p>Operations of this class are those over JMX, which has no authorisation; {@link LocksEndpointWebExtension} has the
 * same over HTTP.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    /** Type of the audit events. */
    public static final String AUDIT_TYPE = "DISTRIBUTED_LOCK_RELEASE";

    private static final String UNKNOWN_USER = "unknown";

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");

    private final LockAdmin locks;
    private final ApplicationEventPublisher events;
    private final Show showValues;
    private final Set<String> roles;

    /**
     * Creates the endpoint.
     *
     * @param locks what to show
     * @param events where audit events go
     * @param showValues for which users keys are shown
     * @param roles roles of authorised users, if keys depend on authorisation; every logged-in user if there are none
     */
    public LocksEndpoint(LockAdmin locks, ApplicationEventPublisher events, Show showValues, Set<String> roles) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.events = Objects.requireNonNull(events, "events");
        this.showValues = Objects.requireNonNull(showValues, "showValues");
        this.roles = Set.copyOf(roles);
    }

    /**
     * The held locks and the waiters, sorted by key.
     *
     * @param key only this lock, and what the store says about it; all if absent
     * @param page which part of the lists, from 0; the first if absent
     * @param size entries of each list in a page, 1 to {@value LocksQuery#MOST}; {@value LocksQuery#SIZE} if absent
     * @return the requested page
     */
    // Deprecated in Framework 7, but the one annotation that makes a parameter optional on Boot 3.5 and on 4.1: with
    // JSpecify's, 3.5 answers 400 to a request without the parameter.
    @SuppressWarnings("deprecation")
    @ReadOperation
    public LocksPage locks(@Nullable String key, @Nullable Integer page, @Nullable Integer size) {
        return locks(LocksQuery.of(key, page, size), SecurityContext.NONE);
    }

    LocksPage locks(LocksQuery query, SecurityContext security) {
        return query.page(locks, showValues.isShown(security, roles));
    }

    /**
     * Takes a lock away from its holder, also in another instance. The holder is notified and not stopped: its work may
     * overlap with that of the next owner.
     *
     * @param key the lock's key
     * @param fencingToken as it was seen: nothing happens if the lock has another one by now
     * @param reason why, for the audit event
     * @return the outcome
     */
    @WriteOperation
    public ReleaseReport release(String key, long fencingToken, String reason) {
        return release(new ReleaseRequest(key, fencingToken, reason), SecurityContext.NONE);
    }

    ReleaseReport release(ReleaseRequest order, SecurityContext security) {
        ReleaseReport release = ReleaseReport.of(
                StoreTimeout.await(locks.revoke(order.key(), order.fencingToken()), LockAdmin.Revocation.Unknown::new));
        String principal = security.getPrincipal() == null
                ? UNKNOWN_USER
                : security.getPrincipal().getName();
        log.warn(
                "{} requested the release of lock '{}' (fencing token {}): {}. Outcome: {}",
                principal,
                LockRequest.printable(order.key()),
                order.fencingToken(),
                LockRequest.printable(order.reason()),
                release.outcome());
        events.publishEvent(new AuditApplicationEvent(
                new AuditEvent(principal, AUDIT_TYPE, order.auditData(release, locks.instance()))));
        return release;
    }
}
