package io.github.lockstarter.autoconfigure.etcd;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.autoconfigure.StoreCheck;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.spi.BlockingWait;
import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;

/**
 * Locks in etcd, configured by {@code distributed-lock.etcd.*}. Inactive where {@link DistributedLockAutoConfiguration}
 * is excluded.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(EtcdLockProperties.class)
public final class EtcdLockAutoConfiguration {

    private static final String ACTION = "Start etcd there, or name the client URLs of its members in"
            + " distributed-lock.etcd.endpoints, and its user in distributed-lock.etcd.user and"
            + " distributed-lock.etcd.password. For https, name the certificates in distributed-lock.etcd.ssl-bundle";

    /** Created by Spring. */
    public EtcdLockAutoConfiguration() {}

    @Bean
    @ConditionalOnLockBackend(EtcdLockProperties.NAME)
    @ConditionalOnMissingLockBackend
    EtcdLockBackend distributedLockEtcdBackend(
            LockSettings locks, EtcdLockProperties properties, ObjectProvider<SslBundles> bundles) {
        Optional<ChannelCredentials> tls = Optional.ofNullable(properties.sslBundle())
                .map(name -> bundles.getObject().getBundle(name).getManagers())
                .map(managers -> TlsChannelCredentials.newBuilder()
                        .keyManager(managers.getKeyManagers())
                        .trustManager(managers.getTrustManagers())
                        .build());
        return new EtcdLockBackend(properties.settings(locks, tls));
    }

    @Bean
    @ConditionalOnLockBackend(EtcdLockProperties.NAME)
    @ConditionalOnBean(EtcdLockBackend.class)
    StoreCheck distributedLockEtcdCheck(EtcdLockBackend backend, EtcdLockProperties properties) {
        return new StoreCheck(EtcdLockProperties.NAME, properties.requiredAtStart(), () -> check(backend, properties));
    }

    /** Asks each member, and one of them twice: a cold JVM may spend a command timeout on connecting. */
    private static void check(EtcdLockBackend backend, EtcdLockProperties properties) {
        Optional<String> failure = failure(backend);
        for (int i = 0; i < properties.endpoints().size() && failure.isPresent(); i++) {
            failure = failure(backend);
        }
        failure.ifPresent(reason -> {
            throw new LockStartException("Locks cannot be kept in etcd: " + reason, ACTION);
        });
    }

    private static Optional<String> failure(EtcdLockBackend backend) {
        return BlockingWait.awaitUninterruptibly(backend.state().toCompletableFuture())
                .failure();
    }
}
