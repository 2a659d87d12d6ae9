package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.integration.DistributedLockRegistry;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Two instances with a lock registry over the locks of the starter, used by Spring Integration. */
class SpringIntegrationBridgeIT {

    private static final Duration HEARTBEAT = Duration.ofMillis(100);

    private static RunningApplication application;
    private static RunningApplication another;

    private final Candidate first = new Candidate(application);
    private final Candidate second = new Candidate(another);

    @BeforeAll
    static void start() {
        application =
                RunningApplication.start(RegistryApplication.class, RunningApplication.Peer.WITHOUT_AUTO_CONFIGURATION);
        another = application.startAnother(RegistryApplication.class);
    }

    @AfterAll
    static void stop() {
        if (another != null) {
            another.close();
        }
        if (application != null) {
            application.close();
        }
    }

    @AfterEach
    void stopCandidates() {
        first.initiator.stop();
        second.initiator.stop();
    }

    private static void deleteLock(String key) {
        assertThat(application.bean(StringRedisTemplate.class).delete("lock:{integration:" + key + "}"))
                .isTrue();
    }

    @Test
    void revokesLeadershipWhenTheLockIsDeleted() {
        first.initiator.start();
        await().atMost(Patience.TIME).until(() -> first.initiator.getContext().isLeader());
        second.initiator.start();

        deleteLock(Candidate.ROLE);

        await().atMost(Patience.TIME).until(() -> first.revoked.get() == 1);
        await().atMost(Patience.TIME).until(() -> leaders() == 1);
        await().during(HEARTBEAT.multipliedBy(10)).atMost(Patience.TIME).until(() -> leaders() == 1);
        assertThat(first.granted.get() + second.granted.get()).isEqualTo(2);
        assertThat(second.revoked).hasValue(0);
    }

    /** There is no other candidate; a leader that continued would not know whether there had been another one. */
    @Test
    void revokesLeadershipAfterALossEvenIfTheSameInstanceLeadsAgain() {
        first.initiator.start();
        await().atMost(Patience.TIME).until(() -> first.initiator.getContext().isLeader());

        deleteLock(Candidate.ROLE);

        await().atMost(Patience.TIME).until(() -> first.granted.get() == 2);
        assertThat(first.revoked).hasValue(1);
    }

    private long leaders() {
        return List.of(first, second).stream()
                .filter(candidate -> candidate.initiator.getContext().isLeader())
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class RegistryApplication {

        @Bean
        DistributedLockRegistry lockRegistry(LockOperations locks) {
            return new DistributedLockRegistry(locks);
        }
    }

    private static final class Candidate extends AbstractCandidate {

        static final String ROLE = "leader";

        private final AtomicInteger granted = new AtomicInteger();
        private final AtomicInteger revoked = new AtomicInteger();
        private final LockRegistryLeaderInitiator initiator;

        Candidate(RunningApplication instance) {
            super(null, ROLE);
            initiator = new LockRegistryLeaderInitiator(instance.bean(DistributedLockRegistry.class), this);
            initiator.setApplicationEventPublisher(event -> {});
            initiator.setHeartBeatMillis(HEARTBEAT.toMillis());
        }

        @Override
        public void onGranted(Context context) {
            granted.incrementAndGet();
        }

        @Override
        public void onRevoked(Context context) {
            revoked.incrementAndGet();
        }
    }
}
