package io.github.lockstarter.leader;

import io.github.lockstarter.autoconfigure.LockNames;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of leader election.
 *
 * @param roles Roles for which this instance competes, in addition to those of annotations and code.
 */
@ConfigurationProperties(prefix = "distributed-lock.leader", ignoreUnknownFields = false)
record LeaderProperties(@DefaultValue Set<String> roles) implements LockNames {

    LeaderProperties {
        try {
            roles.forEach(LeaderLocks::requestFor);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("distributed-lock.leader.roles is " + roles + ". " + e.getMessage(), e);
        }
    }

    /** Code may compete for any role. */
    @Override
    public boolean contains(String name) {
        return LeaderLocks.roleOf(name).isPresent();
    }
}
