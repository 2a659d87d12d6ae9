package io.github.lockstarter.actuate;

import io.github.lockstarter.LockAdmin;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Health {@code distributedLock} on Spring Boot 4. */
public final class LockHealthIndicator implements HealthIndicator {

    private final LockAdmin locks;
    private final Map<String, LockAdmin> furtherLocks;

    public LockHealthIndicator(LockAdmin locks, Map<String, LockAdmin> furtherLocks) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.furtherLocks = Map.copyOf(furtherLocks);
    }

    @Override
    public Health health() {
        LockHealth health = LockHealth.of(locks, furtherLocks);
        return Health.status(health.status()).withDetails(health.details()).build();
    }
}
