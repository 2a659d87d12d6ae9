package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.observe.LockMdc;
import io.github.lockstarter.redis.RedisLockBackend;
import io.lettuce.core.LettuceVersion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

@ExtendWith(OutputCaptureExtension.class)
class Boot3ApplicationIT {

    private static final int THREADS = 8;
    private static final int SHIPMENTS = 200;

    private static RedisServer redis;
    private static ConfigurableApplicationContext context;
    private static ShippingService shipping;
    private static LockOperations locks;
    private static RestClient http;
    private static String startLog;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @BeforeAll
    static void startApplication(CapturedOutput output) {
        redis = RedisServer.start();
        context = ShippingApplication.start(redis.port());
        startLog = output.getAll();
        shipping = context.getBean(ShippingService.class);
        locks = context.getBean(LockOperations.class);
        http = RestClient.create(
                "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/actuator");
    }

    @AfterAll
    static void stopApplication() {
        try {
            context.close();
        } finally {
            redis.close();
        }
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void runsOnTheOlderBootAndLettuceLines() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo("3.5.16");
        assertThat(LettuceVersion.getVersion()).startsWith("6.");
    }

    @Test
    void usesThePublishedJars() {
        assertThat(jarOf(LockMdc.class)).matches(".*/lock-spring-[^/]*[.]jar");
        assertThat(jarOf(RedisLockAutoConfiguration.class)).matches(".*/lock-starter-[^/]*[.]jar");
        assertThat(jarOf(RedisLockBackend.class)).matches(".*/lock-redis-[^/]*[.]jar");
        assertThat(jarOf(DistributedLock.class)).matches(".*/lock-core-[^/]*[.]jar");
    }

    private static String jarOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    @Test
    void createsNoBeanTooEarlyToBeProxied() {
        assertThat(startLog)
                .contains("Started ShippingApplication")
                .doesNotContain("not eligible for getting processed by all BeanPostProcessors");
    }

    @Test
    void runsOneShipmentOfAnOrderAtATime() throws Exception {
        int before = shipping.shipped();
        List<Callable<Long>> shipments = Collections.nCopies(SHIPMENTS, () -> shipping.ship(42));

        List<Long> fencingTokens = new ArrayList<>();
        for (Future<Long> shipment : threads.invokeAll(shipments)) {
            fencingTokens.add(shipment.get());
        }

        assertThat(shipping.mostInside()).isEqualTo(1);
        assertThat(shipping.shipped()).isEqualTo(before + SHIPMENTS);
        assertThat(fencingTokens).hasSize(SHIPMENTS).doesNotHaveDuplicates();
    }

    @Test
    void runsAScheduledJobOncePerTick() {
        assertThat(shipping.report()).contains("written");
        assertThat(shipping.report()).isEmpty();
        assertThat(context.getBean(StringRedisTemplate.class).opsForValue().get("lock:{report}"))
                .endsWith(" %kept");
    }

    @Test
    void keepsTheLockInRedisForItsLease() {
        StringRedisTemplate template = context.getBean(StringRedisTemplate.class);

        try (LockHandle handle = locks.acquire("order:7")) {
            handle.ensureHeld();
            assertThat(template.getExpire("lock:{order:7}")).isBetween(1L, 30L);
        }

        assertThat(template.hasKey("lock:{order:7}")).isFalse();
    }

    @Test
    void showsTheHeldLocksOverHttp() {
        try (LockHandle seven = locks.acquire("order:7");
                LockHandle eight = locks.acquire("order:8")) {
            assertThat(get("/locks")).containsEntry("heldTotal", 2).containsEntry("waitingTotal", 0);
            assertThat(get("/locks?limit=1"))
                    .containsEntry("heldTotal", 2)
                    .extractingByKey("held", LIST)
                    .hasSize(1);
            assertThat(get("/locks?key=order:8")).containsEntry("heldTotal", 1);
            assertThat(get("/locks?key=order:8").get("held").toString())
                    .contains("key=order:8")
                    .contains("fencingToken=" + eight.fencingToken())
                    .doesNotContain(Long.toString(seven.fencingToken()));
            assertThat(get("/locks?key=order:8").get("store").toString())
                    .contains("state=HELD", "holder={instance=")
                    .contains("fencingToken=" + eight.fencingToken());
        }
        assertThat(get("/locks")).containsEntry("heldTotal", 0);
    }

    @Test
    void releasesALockOverHttpByItsFencingToken() {
        LockHandle held = locks.acquire("order:9");

        assertThat(release(held.fencingToken() - 1, "hangs")).isEqualTo(409);
        assertThat(release(held.fencingToken(), "")).isEqualTo(400);
        held.ensureHeld();

        assertThat(release(held.fencingToken(), "hangs")).isEqualTo(200);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(locks.tryAcquire("order:9")).isPresent().get().satisfies(LockHandle::release);
    }

    private static int release(long fencingToken, String reason) {
        return http.post()
                .uri("/locks")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("key", "order:9", "fencingToken", fencingToken, "reason", reason))
                .exchange((request, response) -> response.getStatusCode().value());
    }

    @Test
    void writesADiagnosisOverHttp() {
        assertThat(http.get().uri("/locks/diagnosis").retrieve().body(String.class))
                .containsPattern("(?m)^lock-starter +\\d")
                .containsPattern("(?m)^spring +Boot 3[.]5")
                .containsPattern("(?m)^client +Lettuce 6[.]");
    }

    @Test
    void showsTheHealthOfTheLocksOverHttp() {
        assertThat(get("/health/distributedLock")).containsEntry("status", "UP");
        assertThat(get("/health/distributedLock").get("details").toString())
                .contains("store=Redis at 127.0.0.1:" + redis.port(), "guard=guarded", "hearsSignals=true");
        assertThat(get("/health").get("components").toString()).contains("distributedLock=");
    }

    @Test
    void showsTheWaitAmongItsPropertiesOverHttp() {
        assertThat(get("/configprops/distributed-lock").toString()).contains("maxWait=PT5S", "probe={maxWait=PT2S");
    }

    @Test
    void countsAcquisitionsOverHttp() {
        shipping.ship(1);

        Map<String, Object> metric =
                get("/metrics/distributed.lock.acquire?tag=name:ShippingService.ship&tag=outcome:acquired");

        assertThat(metric).containsEntry("name", "distributed.lock.acquire");
        assertThat(metric.get("measurements").toString()).contains("statistic=COUNT");
        assertThat(get("/metrics/distributed.lock.acquire").get("availableTags").toString())
                .contains("ShippingService.ship", "acquired", "contended");
    }

    @Test
    void loadsTheFailureAnalyzers() {
        ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
                .and(Environment.class, context.getEnvironment());

        List<String> broken = new ArrayList<>(); // of Boot's own, those that need a library this application lacks

        List<FailureAnalyzer> loaded = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, (type, name, failure) -> broken.add(name));

        assertThat(broken).noneMatch(name -> name.startsWith("io.github.lockstarter"));
        assertThat(loaded)
                .extracting(analyzer -> analyzer.getClass().getPackageName())
                .contains("io.github.lockstarter.autoconfigure");
    }

    private static Map<String, Object> get(String path) {
        Map<String, Object> answer =
                http.get().uri(path).retrieve().body(new ParameterizedTypeReference<Map<String, Object>>() {});
        return answer == null ? Map.of() : answer;
    }
}
