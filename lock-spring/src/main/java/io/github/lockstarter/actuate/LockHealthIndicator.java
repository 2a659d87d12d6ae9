package io.github.lockstarter.actuate;

import io.github.lockstarter.LockAdmin;
import java.util.Objects;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Health {@code distributedLock} on Spring Boot 4. */
public final class LockHealthIndicator implements HealthIndicator {

    private final LockAdmin locks;

    /**
     * Creates the indicator.
     *
     * @param locks whose store to ask
     */
    public LockHealthIndicator(LockAdmin locks) {
        this.locks = Objects.requireNonNull(locks, "locks");
    }

    @Override
    public Health health() {
        LockHealth health = LockHealth.of(locks);
        return Health.status(health.status()).withDetails(health.details()).build();
    }
}
