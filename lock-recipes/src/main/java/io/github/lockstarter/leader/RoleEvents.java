package io.github.lockstarter.leader;

import java.time.Duration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;

/**
 * Publishes role changes as Spring Integration events, for its {@code SmartLifecycleRoleController}. Thread-safe.
 *
 * @param leaders roles
 * @param events receives the events
 */
record RoleEvents(Leaders leaders, ApplicationEventPublisher events) {

    /** The interface names this accessor {@code getRole}. */
    private record RoleContext(String getRole, Leadership leadership) implements Context {

        @Override
        public boolean isLeader() {
            return leadership.isLeader();
        }

        /** Pauses, so that another instance can take the free lock. */
        @Override
        public void yield() {
            leadership.yield(Duration.ofSeconds(1));
        }
    }

    @EventListener
    void granted(LeaderGranted event) {
        events.publishEvent(new OnGrantedEvent(this, contextOf(event.role()), event.role()));
    }

    @EventListener
    void revoked(LeaderRevoked event) {
        events.publishEvent(new OnRevokedEvent(this, contextOf(event.role()), event.role()));
    }

    private Context contextOf(String role) {
        return new RoleContext(role, leaders.role(role));
    }
}
