package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.WaitingCaller;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.actuate.LocksReport.HeldLockReport;
import io.github.lockstarter.actuate.LocksReport.StoredLockReport;
import io.github.lockstarter.actuate.LocksReport.WaiterReport;
import io.github.lockstarter.spi.Slots;
import java.time.Instant;
import java.util.LinkedHashMap;
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
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * {@code /actuator/locks}: held locks and waiting callers of this instance, from memory; for a single key also the
 * store's answer. {@code /actuator/locks/diagnosis}: a report for an issue. Keys may contain identifiers of people or
 * orders, so {@code management.endpoint.locks.show-values} masks them by default. HTTP only, because JMX has no users.
 */
// Spring's @Nullable is deprecated in Framework 7, but with JSpecify's, Boot 3.5 answers 400 if a parameter is missing.
@SuppressWarnings("deprecation")
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    public static final String AUDIT_TYPE = "DISTRIBUTED_LOCK_RELEASE";

    private static final String DIAGNOSIS = "diagnosis";
    private static final int DEFAULT_LIMIT = 100;
    private static final int CONFLICT = 409;
    private static final String UNKNOWN_USER = "unknown";

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");

    private final LockAdmin locks;
    private final Map<String, LockAdmin> furtherLocks;
    private final ApplicationEventPublisher events;
    private final Show showValues;
    private final Set<String> roles;
    private final LockDiagnosis diagnosis;

    LocksEndpoint(
            LockAdmin locks,
            Map<String, LockAdmin> furtherLocks,
            ApplicationEventPublisher events,
            Show showValues,
            Set<String> roles,
            LockDiagnosis diagnosis) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.furtherLocks = Map.copyOf(furtherLocks);
        this.events = Objects.requireNonNull(events, "events");
        this.showValues = Objects.requireNonNull(showValues, "showValues");
        this.roles = Set.copyOf(roles);
        this.diagnosis = Objects.requireNonNull(diagnosis, "diagnosis");
    }

    /**
     * Lists held locks and waiting callers.
     *
     * @param key selects one lock and asks the store about it
     * @param limit maximum length of each list
     * @param locks {@code LockOperations} bean of a further store
     * @param slot slot to ask the store about
     */
    @ReadOperation
    public LocksReport locks(
            SecurityContext security,
            @Nullable String key,
            @Nullable Integer limit,
            @Nullable String locks,
            @Nullable Integer slot) {
        LockAdmin admin = admin(locks);
        int length = limit == null ? DEFAULT_LIMIT : limit;
        if (length < 1) {
            throw new InvalidEndpointRequestException("The limit is " + length + "; give 1 or more", "limit");
        }
        boolean showsKeys = key != null || showValues.isShown(security, roles); // the caller knows the key
        Instant now = Instant.now();
        List<HeldLock> held = admin.heldLocks().snapshot().stream()
                .filter(lock -> key == null || key.equals(lock.key()))
                .toList();
        List<WaitingCaller> waiting = admin.waiters().stream()
                .filter(waiter -> key == null || key.equals(waiter.key()))
                .toList();
        return new LocksReport(
                admin.instance(),
                held.size(),
                waiting.size(),
                held.stream()
                        .limit(length)
                        .map(lock -> HeldLockReport.of(lock, showsKeys))
                        .toList(),
                waiting.stream()
                        .limit(length)
                        .map(waiter -> WaiterReport.of(waiter, now, showsKeys))
                        .toList(),
                key == null
                        ? null
                        : StoredLockReport.of(
                                StoreTimeout.await(admin.inspect(key, checked(slot)), StoredLock.Unknown::new)));
    }

    /** Writes this instance's report for an issue. Null, answered by 404, for any other view. */
    @Nullable
    @ReadOperation(produces = "text/plain;charset=UTF-8")
    public String diagnosis(SecurityContext security, @Selector String view) {
        Map<String, LockAdmin> all = new LinkedHashMap<>();
        all.put("default", locks);
        all.putAll(furtherLocks);
        return view.equals(DIAGNOSIS) ? diagnosis.text(all, showValues.isShown(security, roles)) : null;
    }

    private static int checked(@Nullable Integer slot) {
        if (slot != null && (slot < 0 || slot >= Slots.OF_READERS.end())) {
            throw new InvalidEndpointRequestException(
                    "The slot is " + slot + "; give 0 to " + (Slots.OF_READERS.end() - 1), "slot");
        }
        return slot == null ? 0 : slot;
    }

    private LockAdmin admin(@Nullable String bean) {
        LockAdmin admin = bean == null ? locks : furtherLocks.get(bean);
        if (admin == null) {
            throw new InvalidEndpointRequestException(
                    "There is no further store '" + bean + "'; there are " + furtherLocks.keySet(), "locks");
        }
        return admin;
    }

    /**
     * Releases a lock of any instance. The holder is notified but not stopped: its work may overlap with the next
     * owner's.
     *
     * @param fencingToken expected token; nothing happens if it has changed
     */
    @WriteOperation
    public WebEndpointResponse<Release> release(
            SecurityContext security,
            String key,
            long fencingToken,
            String reason,
            @Nullable String locks,
            @Nullable Integer slot) {
        LockAdmin admin = admin(locks);
        if (reason.isBlank()) {
            throw new InvalidEndpointRequestException("Give a reason for the release", "reason");
        }
        Release release =
                Release.of(StoreTimeout.await(admin.revoke(key, checked(slot), fencingToken), Revocation.Unknown::new));
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
                "instance", admin.instance());
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(principal, AUDIT_TYPE, data)));
        return new WebEndpointResponse<>(
                release,
                switch (release.outcome()) {
                    case RELEASED -> WebEndpointResponse.STATUS_OK;
                    case STALE, FOREIGN -> CONFLICT;
                    case UNKNOWN -> WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
                });
    }

    /** The response to a release. */
    public record Release(ReportedOutcome outcome, String message) implements OperationResponseBody {

        public enum ReportedOutcome {
            /** Free, even if reserved for its minimum hold or granted to a waiter. */
            RELEASED,
            STALE,
            /** Unchanged: a client of another kind, without a fencing token, holds it. */
            FOREIGN,
            UNKNOWN
        }

        static Release of(Revocation revocation) {
            if (revocation instanceof Revocation.Revoked) {
                return new Release(
                        ReportedOutcome.RELEASED,
                        "The holder, if there is one, is notified that the lock is lost; its remaining work may "
                                + "overlap with the next owner");
            }
            if (revocation instanceof Revocation.Stale) {
                return new Release(
                        ReportedOutcome.STALE,
                        "Nothing was changed: the lock does not have this fencing token. Read the lock again");
            }
            if (revocation instanceof Revocation.Foreign) {
                return new Release(
                        ReportedOutcome.FOREIGN,
                        "Nothing was changed: a client of another kind has acquired the lock since, and has no fencing"
                                + " token. To release the lock, DEL its key in the store");
            }
            return new Release(
                    ReportedOutcome.UNKNOWN,
                    "It is unknown whether the lock was released: " + ((Revocation.Unknown) revocation).reason());
        }
    }
}
