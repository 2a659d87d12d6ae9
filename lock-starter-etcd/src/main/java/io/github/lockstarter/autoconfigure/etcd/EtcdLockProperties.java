package io.github.lockstarter.autoconfigure.etcd;

import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.etcd.EtcdCredentials;
import io.github.lockstarter.etcd.EtcdSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The configuration of locks in etcd, beside that of all locks.
 *
 * @param endpoints Client URLs of the members of the etcd cluster, with http or https. If a member does not answer, the
 *     client turns to the next one.
 * @param user The user of etcd. Without one, etcd must have authentication disabled.
 * @param password The password of the user.
 * @param commandTimeout How long the client waits for the reply of etcd to one lock command: 100ms to 60s.
 * @param requiredAtStart Whether the application fails to start when etcd does not answer. If false, locked methods
 *     fail until it does.
 */
@ConfigurationProperties(EtcdLockProperties.PREFIX)
record EtcdLockProperties(
        @DefaultValue("http://localhost:2379") List<String> endpoints,
        @Nullable String user,
        @Nullable String password,
        @DefaultValue("2s") Duration commandTimeout,
        @DefaultValue("true") boolean requiredAtStart) {

    static final String PREFIX = "distributed-lock.etcd";

    /**
     * How etcd is used.
     *
     * @throws IllegalArgumentException when a property is wrong; names it
     */
    EtcdSettings settings(LockSettings locks) {
        return new EtcdSettings(
                locks.keyPrefix(),
                endpoints.stream().map(EtcdSettings::endpoint).toList(),
                credentials(),
                commandTimeout);
    }

    private Optional<EtcdCredentials> credentials() {
        boolean hasUser = user != null && !user.isEmpty();
        boolean hasPassword = password != null && !password.isEmpty();
        if (hasUser != hasPassword) {
            throw new IllegalArgumentException("distributed-lock.etcd.user and distributed-lock.etcd.password belong"
                    + " together, but only the " + (hasUser ? "user" : "password") + " is set");
        }
        return user != null && password != null && hasUser
                ? Optional.of(new EtcdCredentials(user, password))
                : Optional.empty();
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "EtcdLockProperties[endpoints=" + endpoints.size() + ", commandTimeout=" + commandTimeout + ']';
    }
}
