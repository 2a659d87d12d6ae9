package io.github.lockstarter.leader.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.actuate.LockActuatorAutoConfiguration;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.leader.LeaderAutoConfiguration;
import io.github.lockstarter.leader.LeaderGranted;
import io.github.lockstarter.leader.LeaderOnly;
import io.github.lockstarter.leader.LeaderRevoked;
import io.github.lockstarter.leader.LeaderRevoked.Cause;
import io.github.lockstarter.leader.Leaders;
import io.github.lockstarter.leader.Leadership;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.github.lockstarter.testing.Effort;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Instances of an application that compete for a role, on one store. */
@Timeout(300)
@ExtendWith(OutputCaptureExtension.class)
public abstract class LeaderElectionSuite {

    private static final String ROLE = "billing";
    private static final String KEY = "leader:billing";

    private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

    /** Adds the store that all instances of a test share. */
    protected abstract SpringApplicationBuilder onStore(SpringApplicationBuilder application);

    /** One instance. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        LockObservabilityAutoConfiguration.class,
        LockActuatorAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        LeaderAutoConfiguration.class
    })
    @Import({Billing.class, Events.class})
    static class Instance {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    /** Bodies of each shape. */
    static class Billing {

        private final List<LockHandle> entered = new CopyOnWriteArrayList<>();

        /** Of the bean behind its proxy. */
        public List<LockHandle> entered() {
            return entered;
        }

        @LeaderOnly(ROLE)
        public void collect() {
            entered.add(LockHandle.current().orElseThrow());
        }

        @LeaderOnly(ROLE)
        public Optional<Long> term() {
            return Optional.of(LockHandle.current().orElseThrow().fencingToken());
        }

        @LeaderOnly("${test.role:billing}")
        public CompletableFuture<Long> stage(CompletableFuture<Long> work) {
            entered.add(LockHandle.current().orElseThrow());
            return work;
        }

        @LeaderOnly(ROLE)
        public Mono<Long> mono() {
            return Mono.fromSupplier(() -> 1L);
        }

        @LeaderOnly(ROLE)
        public Flux<Long> flux() {
            return Flux.just(1L, 2L);
        }

        @LeaderOnly(ROLE)
        public void run(Runnable body) {
            body.run();
        }
    }

    /** As in the documents. */
    static class BillingConsumer {

        private volatile boolean inBody;

        @EventListener(condition = "#event.role() == 'billing'")
        void lead(LeaderGranted event) {
            inBody = true;
        }

        @EventListener(condition = "#event.role() == 'billing'")
        void leave(LeaderRevoked event) {
            inBody = false;
        }

        boolean isRunning() {
            return inBody;
        }
    }

    @AfterEach
    void close() {
        instances.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start(Class<?>... more) {
        return start(List.of(more));
    }

    private ConfigurableApplicationContext start(List<Class<?>> more, String... properties) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(Instance.class)
                .web(WebApplicationType.NONE)
                .properties("management.endpoints.web.exposure.include=*")
                .properties(properties);
        more.forEach(application::sources);
        ConfigurableApplicationContext instance = onStore(application).run();
        instances.add(instance);
        return instance;
    }

    private ConfigurableApplicationContext startLeader(Class<?>... more) {
        ConfigurableApplicationContext instance = start(more);
        awaitLeader(instance);
        return instance;
    }

    private static Leadership leadership(ConfigurableApplicationContext instance) {
        return instance.getBean(Leaders.class).role(ROLE);
    }

    private static void awaitLeader(ConfigurableApplicationContext instance) {
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> leadership(instance).isLeader());
    }

    private static Events events(ConfigurableApplicationContext instance) {
        return instance.getBean(Events.class);
    }

    private static Billing billing(ConfigurableApplicationContext instance) {
        return instance.getBean(Billing.class);
    }

    private static boolean holds(ConfigurableApplicationContext instance) {
        return LockRunner.held(instance).find(KEY).isPresent();
    }

    @Test
    void oneInstanceLeadsUntilItIsClosed() {
        ConfigurableApplicationContext first = startLeader();
        ConfigurableApplicationContext second = start();
        long term = leadership(first).term().orElseThrow();
        leadership(first).ensureLeader();

        assertThat(leadership(second).isLeader()).isFalse();
        assertThat(leadership(second).term()).isEmpty();
        assertThatThrownBy(leadership(second)::ensureLeader)
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessage("This instance does not lead the role of lock 'leader.billing'. Ask isLeader() first");
        Events ofFirst = events(first);
        first.close();
        awaitLeader(second);

        assertThat(ofFirst.all())
                .containsExactly(new LeaderGranted(ROLE, term), new LeaderRevoked(ROLE, term, Cause.STOPPED));
        assertThat(leadership(second).term().orElseThrow()).isGreaterThan(term);
        await().untilAsserted(() -> assertThat(events(second).all()).hasSize(1));
        assertThat(ofFirst.threads()).allMatch(thread -> thread.startsWith("lock-leader-"));
    }

    @Test
    void runsBodiesOfEachShapeOnTheLeaderUnderItsHold() {
        Billing leader = billing(startLeader());
        long term = leadership(instances.get(0)).term().orElseThrow();
        leader.collect();

        assertThat(leader.entered()).singleElement().satisfies(handle -> {
            assertThat(handle.key()).isEqualTo(KEY);
            assertThat(handle.fencingToken()).isEqualTo(term);
        });
        assertThat(leader.term()).contains(term);
        assertThat(leader.stage(CompletableFuture.completedFuture(1L)).join()).isEqualTo(1);
        assertThat(leader.mono().block()).isEqualTo(1);
        assertThat(leader.flux().collectList().block()).containsExactly(1L, 2L);
        assertThat(instances.get(0).getBean(LockOperations.class).heldLocks().find(KEY))
                .map(HeldLock::holdCount)
                .contains(1);
    }

    @Test
    void skipsBodiesOnOtherInstances() {
        startLeader();
        Billing other = billing(start());
        other.collect();

        assertThat(other.term()).isEmpty();
        assertThat(other.stage(CompletableFuture.completedFuture(1L)).join()).isNull();
        assertThat(other.mono().blockOptional()).isEmpty();
        assertThat(other.flux().collectList().block()).isEmpty();
        assertThat(other.entered()).isEmpty();
    }

    @Test
    void yieldsAfterTheBodiesHaveEnded() {
        ConfigurableApplicationContext first = startLeader();
        ConfigurableApplicationContext second = start();
        CompletableFuture<Long> work = new CompletableFuture<>();
        CompletableFuture<Long> running = billing(first).stage(work);
        leadership(first).yield(Duration.ofMinutes(10));

        assertThat(leadership(first).isLeader()).isFalse();
        assertThat(billing(first).term()).isEmpty();
        await().until(() -> events(first).causes().equals(List.of(Cause.YIELDED)));
        assertThat(billing(first).entered().get(0).isHeld())
                .as("the body's own hold")
                .isTrue();
        assertThat(leadership(second).isLeader()).isFalse();
        work.complete(1L);
        assertThat(running.join()).isEqualTo(1);
        awaitLeader(second);
        assertThat(leadership(second).term().orElseThrow())
                .isGreaterThan(billing(first).entered().get(0).fencingToken());
    }

    @Test
    void countsThePauseAfterAYieldFromTheEndOfTheBodies() {
        ConfigurableApplicationContext alone = startLeader();
        CompletableFuture<Long> work = new CompletableFuture<>();
        billing(alone).stage(work);
        leadership(alone).yield(Duration.ofMillis(500));
        pause(1000);
        long ended = System.nanoTime();
        work.complete(1L);
        awaitLeader(alone);

        assertThat(Duration.ofNanos(System.nanoTime() - ended)).isGreaterThan(Duration.ofMillis(500));
    }

    @Test
    void competesAgainAfterThePauseOfAYield() {
        ConfigurableApplicationContext alone = startLeader();
        long term = leadership(alone).term().orElseThrow();
        long yielded = System.nanoTime();
        leadership(alone).yield(Duration.ofMillis(300));
        awaitLeader(alone);

        assertThat(Duration.ofNanos(System.nanoTime() - yielded)).isGreaterThan(Duration.ofMillis(300));
        assertThat(leadership(alone).term().orElseThrow()).isGreaterThan(term);
        await().untilAsserted(() -> assertThat(events(alone).all()).hasSize(3));
        events(alone).assertAlternate();
    }

    /** It calls another annotated method behind the yield. */
    @Test
    void endsARunningBodyAsAWhole() {
        ConfigurableApplicationContext first = startLeader();
        Billing billing = billing(first);
        AtomicReference<Optional<Long>> inner = new AtomicReference<>(Optional.empty());
        billing.run(() -> {
            leadership(first).yield(Duration.ofMinutes(10));
            inner.set(billing.term());
        });

        assertThat(inner.get()).isPresent();
        assertThat(billing.term()).isEmpty();
        await().until(() -> !holds(first));
    }

    @Test
    void reportsALossAndLeadsAgain() {
        ConfigurableApplicationContext alone = startLeader();
        long term = leadership(alone).term().orElseThrow();
        alone.getBean(LockAdmin.class).revoke(KEY, term).join();
        await().until(() -> events(alone).terms().size() == 2);

        assertThat(events(alone).causes()).containsExactly(Cause.LOST);
        events(alone).assertAlternate();
        awaitLeader(alone);
    }

    /** A consumer that is started and stopped by the events. */
    static class Consumer implements SmartLifecycle {

        final List<String> log = new CopyOnWriteArrayList<>();
        private final LockOperations locks;
        private volatile boolean inBody;

        Consumer(LockOperations locks) {
            this.locks = locks;
        }

        @EventListener
        void lead(LeaderGranted event) {
            log.add("granted");
        }

        @EventListener
        void leave(LeaderRevoked event) throws InterruptedException {
            Thread.sleep(200); // as long as a listener that stops something
            log.add("revoked " + event.cause() + ", held: "
                    + locks.heldLocks().find(KEY).isPresent());
        }

        @Override
        public void start() {
            inBody = true;
        }

        @Override
        public void stop() {
            inBody = false;
            log.add("next phase, held: " + locks.heldLocks().find(KEY).isPresent());
        }

        @Override
        public boolean isRunning() {
            return inBody;
        }

        @Override
        public int getPhase() {
            return Integer.MAX_VALUE - 1;
        }
    }

    @Test
    void releasesAfterListenersAndBodiesHaveEnded() throws Exception {
        ConfigurableApplicationContext leader = startLeader(Consumer.class);
        Consumer consumer = leader.getBean(Consumer.class);
        await().until(() -> consumer.log.contains("granted"));
        CountDownLatch inBody = new CountDownLatch(1);
        Billing billing = billing(leader);
        Thread body = new Thread(() -> billing.run(() -> {
            inBody.countDown();
            await().until(() -> consumer.log.size() == 2);
            pause(300);
            consumer.log.add(
                    "body ends, held: " + LockHandle.current().orElseThrow().isHeld());
        }));
        body.start();
        inBody.await();
        leader.close();
        body.join();

        assertThat(consumer.log)
                .containsExactly(
                        "granted", "revoked STOPPED, held: true", "body ends, held: true", "next phase, held: false");
    }

    @Test
    void keepsTheLockUntilTheListenersHaveReturned() {
        ConfigurableApplicationContext leader = startLeader(Consumer.class);
        Consumer consumer = leader.getBean(Consumer.class);
        await().until(() -> consumer.log.contains("granted"));
        leader.close();

        assertThat(consumer.log).containsExactly("granted", "revoked STOPPED, held: true", "next phase, held: false");
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis); // the time itself is under test
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void leavesNothingBehindWhenACampaignEnds() {
        ConfigurableApplicationContext leader = startLeader();
        ConfigurableApplicationContext waiting = start();
        waiting.close();

        assertThat(events(leader).all()).hasSize(1);
        leader.close();
        awaitLeader(start());
    }

    @Test
    void leadsAgainWhenTheContextStartsAgain() {
        ConfigurableApplicationContext alone = startLeader();
        alone.stop();
        assertThat(leadership(alone).isLeader()).isFalse();
        assertThat(holds(alone)).isFalse();
        alone.start();
        awaitLeader(alone);
        await().until(() -> events(alone).terms().size() == 2);
        events(alone).assertAlternate();
    }

    /** Fails at each event. */
    static class Failing {

        @EventListener
        void lead(LeaderGranted event) {
            throw new IllegalStateException("by the test");
        }

        @EventListener
        void leave(LeaderRevoked event) {
            throw new IllegalStateException("by the test");
        }
    }

    @Test
    void continuesAfterAListenerFails(CapturedOutput output) {
        ConfigurableApplicationContext alone = startLeader(Failing.class);
        leadership(alone).yield(Duration.ZERO);
        await().until(() -> changes(alone) == 3);

        assertThat(output).contains("A listener of LeaderGranted[role=billing");
    }

    /** Throws an undeclared exception, as Kotlin code may. */
    static class Undeclared implements ApplicationListener<PayloadApplicationEvent<LeaderRevoked>> {

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<LeaderRevoked> event) {
            throwAny(new IOException("by the test"));
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <X extends Throwable> void throwAny(Throwable failure) throws X {
            throw (X) failure;
        }
    }

    @Test
    void releasesAfterAListenerThrowsAnUndeclaredException() {
        ConfigurableApplicationContext first = startLeader(Undeclared.class);
        ConfigurableApplicationContext second = start();
        leadership(first).yield(Duration.ofMinutes(10));

        awaitLeader(second);
    }

    @Test
    void showsTheLeaderInMetersAndInTheEndpoint() {
        ConfigurableApplicationContext leader = startLeader();
        ConfigurableApplicationContext other = start();
        await().until(() -> !events(leader).all().isEmpty());
        leadership(leader).ensureLeader();

        assertThat(gauge(leader)).isEqualTo(1);
        await().ignoreExceptions().until(() -> gauge(other) == 0); // its meters appear when its wait is reported
        assertThat(changes(leader)).isEqualTo(1);
        assertThat(changes(other)).isZero();
        assertThat(leader.getBean(LocksEndpoint.class)
                        .locks(SecurityContext.NONE, null, null, null, null)
                        .held())
                .singleElement()
                .satisfies(held -> {
                    assertThat(held.name()).isEqualTo("leader.billing");
                    assertThat(held.owner()).isEqualTo(HeldLock.ASYNC);
                    assertThat(held.maxHoldMs()).isNull();
                });
        assertThat(other.getBean(LocksEndpoint.class)
                        .locks(SecurityContext.NONE, null, null, null, null)
                        .held())
                .isEmpty();
    }

    private static double gauge(ConfigurableApplicationContext instance) {
        return instance.getBean(MeterRegistry.class)
                .get("distributed.lock.leader")
                .tag("role", ROLE)
                .gauge()
                .value();
    }

    private static double changes(ConfigurableApplicationContext instance) {
        return instance.getBean(MeterRegistry.class)
                .get("distributed.lock.leader.changes")
                .tag("role", ROLE)
                .counter()
                .count();
    }

    /**
     * The maximum hold would cause a loss after 1 s, and warnings about it and about the hold time after 200 ms. A
     * pause of this machine causes a loss, too, since no maximum hold is below the lease.
     */
    @Test
    @Tag(Effort.TIMING)
    void leadsLongerThanTheMaximumHoldOfOtherLocks(CapturedOutput output) {
        ConfigurableApplicationContext alone = start(
                List.of(),
                "distributed-lock.max-hold=1s",
                "distributed-lock.lease=1s",
                "distributed-lock.warn-after=200ms",
                "distributed-lock.renewal=off");
        awaitLeader(alone);
        long term = leadership(alone).term().orElseThrow();
        pause(2500);

        assertThat(leadership(alone).term()).hasValue(term);
        assertThat(output).doesNotContain("has been held for");
    }

    @Test
    void competesForTheRolesOfPropertiesAndOfCode() {
        ConfigurableApplicationContext alone = start(
                List.of(),
                "distributed-lock.leader.roles=mail,report",
                "distributed-lock.lease=2m",
                "distributed-lock.locks.[leader.mail].lease=1m");
        Leaders leaders = alone.getBean(Leaders.class);
        await().until(() -> events(alone).all().size() == 3);
        Leadership late = leaders.role("late");
        await().until(late::isLeader);

        assertThat(leaders.role("mail").isLeader() && leaders.role("report").isLeader())
                .isTrue();
        assertThat(LockRunner.held(alone).find("leader:mail").orElseThrow().remainingLease())
                .isBetween(Duration.ZERO, Duration.ofMinutes(1));
        assertThat(leaders.role("late")).isSameAs(late);
        assertThatThrownBy(() -> leaders.role("night shift"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The role 'night shift' is not a name of letters, digits, '.', '_' and '-'. Rename it, such "
                                + "as 'billing'");
        assertThatThrownBy(() -> late.yield(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The pause of role 'late' is -1s; it must be between 0ms and 365d");
        assertThatThrownBy(() -> late.yield(Duration.ofDays(366))).isInstanceOf(IllegalArgumentException.class);
    }

    /** Checks leadership during its initialization. */
    static class Early implements SmartLifecycle {

        final List<Object> seen = new CopyOnWriteArrayList<>();
        private final Leadership early;

        Early(Leaders leaders) {
            this.early = leaders.role("early");
        }

        @EventListener
        void lead(LeaderGranted event) {
            seen.add(event.role());
        }

        @Override
        public void start() {
            pause(300); // the start of the application continues
            seen.add(early.isLeader() ? "leads before it is ready" : "starts");
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return !seen.isEmpty();
        }
    }

    @Test
    void campaignsOnceTheApplicationIsReady() {
        ConfigurableApplicationContext alone = start(Early.class);
        await().until(() -> alone.getBean(Early.class).seen.contains("early"));

        assertThat(alone.getBean(Early.class).seen).startsWith("starts");
    }

    @Test
    void aListenerOfOneRoleIgnoresTheOthers() {
        ConfigurableApplicationContext first = startLeader(BillingConsumer.class);
        Leadership reports = first.getBean(Leaders.class).role("reports");
        await().until(reports::isLeader);
        await().until(() -> first.getBean(BillingConsumer.class).isRunning());

        ConfigurableApplicationContext second = start(BillingConsumer.class);
        second.getBean(Leaders.class).role("reports");
        reports.yield(Duration.ofMinutes(1));
        await().until(() -> events(second).all().stream()
                .anyMatch(event ->
                        event instanceof LeaderGranted granted && granted.role().equals("reports")));

        assertThat(leadership(first).isLeader()).isTrue();
        assertThat(first.getBean(BillingConsumer.class).isRunning()).isTrue();
        assertThat(second.getBean(BillingConsumer.class).isRunning()).isFalse();
    }
}
