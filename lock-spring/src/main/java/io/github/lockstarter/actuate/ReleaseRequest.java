package io.github.lockstarter.actuate;

import java.util.Locale;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * An operator's request to release a lock.
 *
 * @param key the lock's key
 * @param fencingToken as it was seen
 * @param reason why
 */
record ReleaseRequest(String key, long fencingToken, String reason) {

    private static final int LONGEST_REASON = 1_000;

    ReleaseRequest {
        if (key.isBlank()) {
            throw new InvalidEndpointRequestException("The key is blank; name the lock to release", "key");
        }
        if (fencingToken < 1) {
            throw new InvalidEndpointRequestException(
                    "Fencing token " + fencingToken + " was never granted; give the one that the lock shows",
                    "fencingToken");
        }
        if (reason.isBlank() || reason.length() > LONGEST_REASON) {
            throw new InvalidEndpointRequestException(
                    "Give a reason of 1 to " + LONGEST_REASON + " characters for the release", "reason");
        }
    }

    Map<String, Object> auditData(ReleaseReport release, String instance) {
        return Map.of(
                "key", key,
                "fencingToken", fencingToken,
                "reason", reason,
                "outcome", release.outcome().name().toLowerCase(Locale.ROOT),
                "instance", instance);
    }
}
