package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover.State;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.actuate.LockActuatorAutoConfiguration;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.actuate.LocksReport;
import io.github.lockstarter.actuate.LocksReport.StoredLockReport;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeoverCondition;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.KillArgs;
import io.lettuce.core.SetArgs;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** The operator's view of crash takeover: log, health, endpoint and meters of an application. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(300)
class CrashTakeoverApplicationIT {

    private static final String LEAST_RIGHTS = "reset on >s3cret ~lock:* resetchannels &lock:* -@all +hello +auth +ping"
            + " +select +client|setname +evalsha +eval +get +mget +set +incrby +del +exists +pexpire +pttl +time +info"
            + " +hset +hmget +hgetall +hdel"
            + " +zadd +zrem +zscore +zcard +zpopmin +zrangebyscore +publish +subscribe +unsubscribe";

    private static final String CRASHED = "c0ffee00c0ffee00c0ffee00c0ffee00";

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static ApplicationContextRunner application(String... properties) {
        return RedisApplication.on(REDIS.server())
                .withConfiguration(AutoConfigurations.of(
                        LockObservabilityAutoConfiguration.class, LockActuatorAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*", "management.endpoint.locks.show-values=always")
                .withPropertyValues(properties);
    }

    private static StoreState state(LockAdmin locks) {
        return locks.storeState().join();
    }

    static void awaitTakeover(LockAdmin locks, State state) {
        await().untilAsserted(
                        () -> assertThat(state(locks).crashTakeover().state()).isEqualTo(state));
    }

    @Test
    void takeoverIsEnabledUnlessTheStoreCannotReachTheMailbox(CapturedOutput output) {
        application().run(context -> {
            LockAdmin locks = context.getBean(LockAdmin.class);
            assertThat(output).contains("crash-takeover 1s; this instance is ").doesNotContain("WARN");
            awaitTakeover(locks, State.ON);
            assertThat(health(context)).containsEntry("crashTakeover", "on");
        });
    }

    private static Map<String, Object> health(ApplicationContext context) {
        return context.getBean("distributedLockHealthContributor", HealthIndicator.class)
                .health()
                .getDetails();
    }

    /** Fails if the startup does not check, or treats the refusal as a reason to fail. */
    @Test
    void startsWithoutTakeoverAndNamesTheMissingRight(CapturedOutput output) {
        REDIS.server().setUser("app", LEAST_RIGHTS.split(" "));
        application("spring.data.redis.username=app", "spring.data.redis.password=s3cret")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    LockAdmin locks = context.getBean(LockAdmin.class);
                    assertThat(warnings(output))
                            .singleElement()
                            .asString()
                            .contains("lacks a right that takeovers need", "ACL SETUSER <user> +pubsub|numsub");
                    assertThat(health(context)).containsEntry("crashTakeover", "off");
                    context.getBean(LockTemplate.class).acquire("order:1").close();

                    REDIS.server().setUser("app", "+pubsub|numsub");
                    REDIS.server().commands().clientKill(KillArgs.Builder.typePubsub());

                    awaitTakeover(locks, State.ON);
                    assertThat(state(locks).warnings()).isEmpty();
                });
    }

    @Test
    void saysThatTakeoverIsDisabledWithoutAGracePeriod(CapturedOutput output) {
        application("distributed-lock.redis.grace-period=0s").run(context -> {
            assertThat(output)
                    .contains("crash-takeover off; this instance is ")
                    .contains("free when their leases are over: distributed-lock.redis.grace-period is 0s");
            assertThat(state(context.getBean(LockAdmin.class)).crashTakeover().state())
                    .isEqualTo(State.OFF);
        });
    }

    @Test
    void takeoverIsInterruptedWhileTheServerHangs() {
        application("distributed-lock.redis.command-timeout=500ms", "distributed-lock.redis.required-at-start=false")
                .run(context -> {
                    LockAdmin locks = context.getBean(LockAdmin.class);
                    awaitTakeover(locks, State.ON);
                    REDIS.server().pause();
                    awaitTakeover(locks, State.INTERRUPTED);
                    CrashTakeover interrupted = state(locks).crashTakeover();
                    REDIS.server().resume();

                    assertThat(interrupted.reason()).contains("does not answer this instance at the moment");
                    awaitTakeover(locks, State.ON);
                });
    }

    @Test
    void showsTheLockOfACrashedInstanceBeforeAndAfterItIsTakenOver(CapturedOutput output) {
        application("distributed-lock.crash-takeover=2s").run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            locks.acquire("warm-up").close();
            String token = new LockToken(CRASHED, 1, "worker-7", 1, 2_000, TakeoverCondition.NONE).value();
            REDIS.server().commands().set("lock:{order:42}", "0000000000000017 " + token, SetArgs.Builder.px(60_000));

            assertThat(locks.tryAcquire("order:42")).isEmpty();
            StoredLockReport doubted = endpoint.locks(SecurityContext.NONE, "order:42", null, null, null)
                    .store();
            assertThat(doubted.state()).isEqualTo(StoredLockReport.State.IN_DOUBT);
            assertThat(doubted.holder().instance()).isEqualTo(CRASHED.substring(0, 8));
            assertThat(doubted.inDoubtForMs()).isNotNegative();

            try (LockHandle heir = locks.acquire("order:42")) {
                assertThat(heir.fencingToken()).isGreaterThan(17);
                LocksReport report = endpoint.locks(SecurityContext.NONE, "order:42", null, null, null);
                assertThat(report.held()).singleElement().satisfies(held -> {
                    assertThat(held.state()).isEqualTo(HoldState.HELD);
                    assertThat(held.takenOverFrom()).isEqualTo(CRASHED.substring(0, 8));
                });
                assertThat(report.store().state()).isEqualTo(StoredLockReport.State.HELD);
            }
            assertThat(warnings(output))
                    .filteredOn(line -> line.contains("Took lock"))
                    .singleElement()
                    .asString()
                    .contains("Took lock 'order:42'", "thread 'worker-7'");
            assertThat(context.getBean(MeterRegistry.class)
                            .get("distributed.lock.takeovers")
                            .counter()
                            .count())
                    .isEqualTo(1);
        });
    }

    /** Counts doubts; a pause of this machine for a second is one, too. */
    @Test
    @Tag(Effort.TIMING)
    void warnsOnceAboutManyLocksInDoubtAndOnceAboutTheirConfirmation(CapturedOutput output) {
        application("distributed-lock.redis.command-timeout=500ms").run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            awaitTakeover(context.getBean(LockAdmin.class), State.ON);
            List<LockHandle> held = List.of(locks.acquire("a"), locks.acquire("b"), locks.acquire("c"));

            REDIS.server().pause();
            await().untilAsserted(() -> assertThat(endpoint.locks(SecurityContext.NONE, null, null, null, null)
                            .held())
                    .extracting(LocksReport.HeldLockReport::state)
                    .containsOnly(HoldState.IN_DOUBT));
            await().untilAsserted(() -> assertThat(warnings(output)).anyMatch(line -> line.contains("is in doubt")));
            REDIS.server().resume();
            await().untilAsserted(() -> assertThat(endpoint.locks(SecurityContext.NONE, null, null, null, null)
                            .held())
                    .extracting(LocksReport.HeldLockReport::state)
                    .containsOnly(HoldState.HELD));

            await().untilAsserted(() -> assertThat(
                            meters.get("distributed.lock.confirmed").timer().count())
                    .isEqualTo(held.size()));
            assertThat(meters.get("distributed.lock.doubts").counter().count()).isEqualTo(held.size());
            assertThat(warnings(output))
                    .filteredOn(line -> line.contains("is in doubt:"))
                    .hasSize(1);
            assertThat(warnings(output))
                    .filteredOn(line -> line.contains(" in doubt"))
                    .hasSize(2);
            held.forEach(LockHandle::close);
        });
    }

    private static List<String> warnings(CapturedOutput output) {
        return output.toString()
                .lines()
                .filter(line -> line.contains("WARN"))
                .filter(line -> line.contains("io.github.lockstarter") || line.contains("i.g.l"))
                .toList();
    }
}
