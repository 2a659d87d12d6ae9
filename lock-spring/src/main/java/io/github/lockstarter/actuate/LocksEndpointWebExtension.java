package io.github.lockstarter.actuate;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/** {@link LocksEndpoint} over HTTP, where the user is known, and a status says the outcome of a release. */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public final class LocksEndpointWebExtension {

    private static final int CONFLICT = 409;

    private final LocksEndpoint endpoint;

    /**
     * Creates the extension.
     *
     * @param endpoint what it extends
     */
    public LocksEndpointWebExtension(LocksEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * As {@link LocksEndpoint#locks(String, Integer, String)}.
     *
     * @param security the user
     * @param key only this lock, and the reply of the store about it; all if absent
     * @param limit most entries of each list
     * @param locks the {@code LockOperations} bean of a further store
     * @return the locks
     */
    @SuppressWarnings("deprecation") // as there
    @ReadOperation
    public LocksReport locks(
            SecurityContext security, @Nullable String key, @Nullable Integer limit, @Nullable String locks) {
        return endpoint.report(security, key, limit, locks);
    }

    /**
     * As {@link LocksEndpoint#release(String, long, String, String)}.
     *
     * @param security the user
     * @param key the lock's key
     * @param fencingToken as it was seen
     * @param reason why
     * @param locks the {@code LockOperations} bean of a further store
     * @return 200 if the lock is free, 409 if it has another fencing token by now, or an owner without one, 503 if the
     *     outcome is unknown
     */
    @SuppressWarnings("deprecation") // as there
    @WriteOperation
    public WebEndpointResponse<ReleaseReport> release(
            SecurityContext security, String key, long fencingToken, String reason, @Nullable String locks) {
        ReleaseReport release = endpoint.release(security, key, fencingToken, reason, locks);
        return new WebEndpointResponse<>(
                release,
                switch (release.outcome()) {
                    case RELEASED -> WebEndpointResponse.STATUS_OK;
                    case STALE, FOREIGN -> CONFLICT;
                    case UNKNOWN -> WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
                });
    }
}
