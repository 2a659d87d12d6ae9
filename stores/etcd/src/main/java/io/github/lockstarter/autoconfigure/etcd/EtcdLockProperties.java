package io.github.lockstarter.autoconfigure.etcd;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.etcd.EtcdCredentials;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.etcd.EtcdSettings;
import io.grpc.ChannelCredentials;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of locks in etcd.
 *
 * @param endpoints Client URLs of the members of the etcd cluster, with http or https. If a member does not answer, the
 *     client turns to the next one.
 * @param user The user of etcd. Without one, etcd must have authentication disabled.
 * @param password The password of the user.
 * @param sslBundle SSL bundle for endpoints with https: trusted certificates and the client's own. Without one, the
 *     client trusts the JVM's certificates, and has none.
 * @param commandTimeout Time limit for the reply of etcd to one lock command: 100ms to 60s.
 * @param requiredAtStart Whether the application fails to start when etcd does not answer. If false, locked methods
 *     fail until it does.
 */
@ConfigurationProperties(prefix = EtcdLockProperties.PREFIX, ignoreUnknownFields = false)
record EtcdLockProperties(
        @DefaultValue("http://localhost:2379") List<String> endpoints,
        @Nullable String user,
        @Nullable String password,
        @Nullable String sslBundle,
        @DefaultValue("2s") Duration commandTimeout,
        @DefaultValue("true") boolean requiredAtStart)
        implements LockBackendOption {

    static final String NAME = "etcd";
    static final String PREFIX = "distributed-lock." + NAME;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        settings(locks, Optional.empty());
        if (locks.backendsInUse().contains(NAME)) {
            check(locks.lease(), "distributed-lock.lease");
        }
        if (locks.backend().equals(NAME)) {
            locks.leases().forEach((name, lease) -> check(lease, "distributed-lock.locks." + name + ".lease"));
        }
    }

    @Override
    public void checkTerms(LockTerms terms, String key) {
        terms.lease().ifPresent(lease -> check(lease, "the lease of lock '" + key + "'"));
    }

    private static void check(Duration lease, String where) {
        if (lease.compareTo(EtcdLockBackend.SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException(
                    where + " is " + DurationText.exactly(lease) + ", but etcd keeps no lease below "
                            + DurationText.exactly(EtcdLockBackend.SHORTEST_LEASE) + ": set it to that or more");
        }
    }

    /** @throws IllegalArgumentException when a property is invalid; names it */
    EtcdSettings settings(LockSettings locks, Optional<ChannelCredentials> tls) {
        List<URI> members = endpoints.stream().map(EtcdSettings::endpoint).toList();
        if (sslBundle != null
                && members.stream().anyMatch(member -> member.getScheme().equals("http"))) {
            throw new IllegalArgumentException(
                    "distributed-lock.etcd.ssl-bundle is set, but distributed-lock.etcd.endpoints"
                            + " has a URL without TLS: " + members + ". Write https");
        }
        return new EtcdSettings(locks.keyPrefix(), members, credentials(), tls, commandTimeout);
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

    /** Omits user and password. */
    @Override
    public String toString() {
        return "EtcdLockProperties[endpoints=" + endpoints.size() + ", commandTimeout=" + commandTimeout + ']';
    }
}
