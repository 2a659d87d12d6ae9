package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.leader.testing.Events;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/** Leaders whose connections to Redis break, and leaders with slow listeners. */
@Timeout(180)
class LeaderConnectionIT {

    private static final int OUTAGES = Effort.of(3, 120);

    /** Until the leader behind the proxy has lost its lock. */
    private static final int MOST_OUTAGES = 30;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final List<ConfigurableApplicationContext> instances = new ArrayList<>();
    private TcpProxy proxy;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        RedisLockAutoConfiguration.class,
        LeaderAutoConfiguration.class
    })
    @Import({Events.class, Doubts.class, Billing.class})
    static class Instance {}

    static class Billing {

        @LeaderOnly(LeaderApplication.ROLE)
        public Optional<String> collect() {
            return Optional.of("collected");
        }
    }

    /** The control: how often an event per doubt would report a change. */
    static class Doubts implements LockListener {

        final AtomicInteger changes = new AtomicInteger();

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.InDoubt || event instanceof LockEvent.Confirmed) {
                changes.incrementAndGet();
            }
        }
    }

    @BeforeEach
    void startProxy() {
        proxy = TcpProxy.before(REDIS.server());
    }

    @AfterEach
    void close() {
        proxy.accept();
        instances.forEach(ConfigurableApplicationContext::close);
        proxy.close();
    }

    private ConfigurableApplicationContext start(int port, Class<?> more, String... properties) {
        ConfigurableApplicationContext instance = new SpringApplicationBuilder(Instance.class)
                .sources(more)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.data.redis.host=localhost", "spring.data.redis.port=" + port, RedisApplication.PATIENT)
                .properties(properties)
                .run();
        instances.add(instance);
        return instance;
    }

    private static Leadership leadership(ConfigurableApplicationContext instance) {
        return instance.getBean(Leaders.class).role(LeaderApplication.ROLE);
    }

    private static void awaitLeader(ConfigurableApplicationContext instance) {
        await().atMost(Patience.TIME).until(() -> leadership(instance).isLeader());
    }

    /** Until a lock that is acquired now would be taken over after a crash. */
    private static void awaitTakeover(ConfigurableApplicationContext instance) {
        LockAdmin locks = instance.getBean(LockAdmin.class);
        await().until(() -> locks.storeState().get().crashTakeover().state() == CrashTakeover.State.ON);
    }

    private void outage(long millis) throws InterruptedException {
        proxy.refuse();
        proxy.cut();
        Thread.sleep(millis); // how long the outage lasts
        proxy.accept();
    }

    @Test
    void leadershipIsNotRevokedWhileInDoubt() throws Exception {
        ConfigurableApplicationContext alone = start(proxy.port(), Object.class);
        Billing billing = alone.getBean(Billing.class);
        awaitLeader(alone);
        long first = leadership(alone).term().orElseThrow();
        awaitTakeover(alone);
        leadership(alone).yield(Duration.ZERO); // the lock of an election at the start may be left to its lease
        await().until(() -> leadership(alone).term().stream().anyMatch(next -> next != first));
        long term = leadership(alone).term().orElseThrow();
        Events events = alone.getBean(Events.class);
        await().untilAsserted(() -> assertThat(events.all()).hasSize(3)); // granted, yielded, granted again
        List<?> before = events.all();
        outage(200);
        awaitLeader(alone);

        proxy.refuse();
        proxy.cut();
        await().until(() -> !leadership(alone).isLeader());
        assertThat(leadership(alone).term()).isEmpty();
        assertThat(billing.collect()).isEmpty();
        AtomicInteger doubts = alone.getBean(Doubts.class).changes;
        await().untilAsserted(() -> assertThat(doubts).hasPositiveValue()); // a shorter doubt is not reported
        proxy.accept();
        awaitLeader(alone);
        await().untilAsserted(
                        () -> { // unless it is in doubt again
                            assertThat(leadership(alone).term()).hasValue(term);
                            assertThat(billing.collect()).contains("collected");
                        });
        assertThat(events.all()).isEqualTo(before);
        await().untilAsserted(() -> assertThat(doubts).hasValueGreaterThanOrEqualTo(2));
    }

    private static boolean hasLost(ConfigurableApplicationContext instance) {
        return instance.getBean(Events.class).causes().contains(LeaderRevoked.Cause.LOST);
    }

    /** Outages of up to 1.8 s, of which some are longer than a takeover, which another instance waits for. */
    @Test
    @Tag(Effort.SLOW)
    @Tag(Effort.FULL)
    void leadershipAlternatesWhileConnectionsBreak() throws Exception {
        ConfigurableApplicationContext cut = start(proxy.port(), Object.class);
        ConfigurableApplicationContext other = start(REDIS.server().port(), Object.class);
        Random random = new Random(406);
        try (Claims ofCut = new Claims("cut", () -> leadership(cut).isLeader());
                Claims ofOther = new Claims("other", () -> leadership(other).isLeader())) {
            for (int i = 0; i < OUTAGES || (i < MOST_OUTAGES && !hasLost(cut)); i++) {
                leadership(other).yield(Duration.ofMillis(300)); // so that the one behind the proxy leads again
                Thread.sleep(100 + random.nextInt(400)); // between two outages
                outage(random.nextInt(1800));
            }
            await().atMost(Patience.TIME)
                    .until(() -> leadership(cut).isLeader() || leadership(other).isLeader());
            List<Claim> claims = new ArrayList<>(ofCut.all());
            claims.addAll(ofOther.all());
            assertThat(Claim.overlaps(claims)).isEmpty();
        }
        Events events = cut.getBean(Events.class);
        int doubts = cut.getBean(Doubts.class).changes.get();
        System.out.println("After outages: " + events.causes() + " and "
                + other.getBean(Events.class).causes() + ", and " + doubts + " changes of doubts");

        events.assertAlternate();
        other.getBean(Events.class).assertAlternate();
        assertThat(hasLost(cut)).isTrue();
        assertThat(doubts).isPositive();
    }

    /** Blocks the thread of its events for five leases. */
    static class SlowConsumer {

        @EventListener
        void lead(LeaderGranted event) throws InterruptedException {
            Thread.sleep(5000); // blocks for five leases
        }
    }

    @Test
    @Tag(Effort.TIMING)
    void aSlowListenerDoesNotLoseLeadership() throws Exception {
        ConfigurableApplicationContext slow = start(proxy.port(), SlowConsumer.class, "distributed-lock.lease=1s");
        awaitLeader(slow);
        long term = leadership(slow).term().orElseThrow();
        try (Claims claims = new Claims("slow", () -> leadership(slow).isLeader())) {
            Thread.sleep(5500); // longer than the listener blocks
            assertThat(claims.all()).singleElement().satisfies(claim -> assertThat(
                            Duration.ofNanos(claim.end() - claim.begin()))
                    .isGreaterThan(Duration.ofSeconds(5)));
        }
        assertThat(leadership(slow).term()).hasValue(term);
        await().untilAsserted(() -> assertThat(slow.getBean(Events.class).all())
                .containsExactly(new LeaderGranted(LeaderApplication.ROLE, term)));
    }

    /** The control: a consumer that is called on the thread of the lock client that renews, once. */
    static class ConsumerOnTheRenewingThread implements LockListener {

        private final AtomicBoolean called = new AtomicBoolean();

        @Override
        public boolean returnsAtOnce() {
            return true; // it does not
        }

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Renewed && called.compareAndSet(false, true)) {
                try {
                    Thread.sleep(5000); // blocks for five leases
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Test
    @Tag(Effort.TIMING)
    void aListenerOnTheRenewingThreadWouldLoseTheLease() {
        ConfigurableApplicationContext slow =
                start(proxy.port(), ConsumerOnTheRenewingThread.class, "distributed-lock.lease=1s");

        await().atMost(Patience.TIME).until(() -> hasLost(slow));
    }

    @Test
    void competesAgainUntilTheStoreAnswers() throws Exception {
        proxy.refuse();
        ConfigurableApplicationContext early =
                start(proxy.port(), Object.class, "distributed-lock.redis.required-at-start=false");
        Thread.sleep(1000); // an attempt fails
        assertThat(leadership(early).isLeader()).isFalse();
        assertThat(early.getBean(Billing.class).collect()).isEmpty();
        assertThat(early.getBean(Events.class).all()).isEmpty();

        proxy.accept();
        awaitLeader(early);
    }
}
