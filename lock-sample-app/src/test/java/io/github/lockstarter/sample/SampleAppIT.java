package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "sample.orders.carrier-time=2s",
            "sample.labels.print-time=200ms",
            "sample.jobs.report-cron=-",
            "sample.jobs.report-time=2s",
            "sample.jobs.index-time=4s"
        })
class SampleAppIT {

    private static final int VIEWS = 200;

    @Autowired
    private StringRedisTemplate redis;

    @Autowired
    private LockOperations locks;

    @Value("${local.server.port}")
    private int port;

    private SampleClient client;

    @DynamicPropertySource
    static void redisOfItsOwn(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.port", FreePort::find);
    }

    @BeforeEach
    void connect() {
        client = new SampleClient(port);
    }

    @Test
    void placesAnOrderThatCanBeRead() {
        Answer placed = client.post("/orders", "{\"item\":\"lamp\",\"quantity\":2}");

        assertThat(placed.status()).isEqualTo(201);
        Answer found = client.get("/orders/" + placed.number("orderId"));
        assertThat(found.status()).isEqualTo(200);
        assertThat(found.text("item")).isEqualTo("lamp");
        assertThat(found.number("quantity")).isEqualTo(2);
        assertThat(found.body().has("shipment")).isFalse();
    }

    @Test
    void shipsAnOrderOnce() {
        long orderId = client.placeOrder();

        Answer first = client.post(shipment(orderId));
        Answer second = client.post(shipment(orderId));

        assertThat(first.status()).isEqualTo(200);
        JsonNode shipment = first.body().path("shipment");
        assertThat(shipment.path("trackingNumber").asString()).isEqualTo("PARCEL-" + orderId);
        assertThat(shipment.path("fencingToken").asLong()).isPositive();
        assertThat(second.status()).isEqualTo(409);
        assertThat(second.text("detail")).contains("has been shipped already, as PARCEL-" + orderId);
        assertThat(client.get("/orders/" + orderId).body().path("shipment")).isEqualTo(shipment);
    }

    @Test
    void answersConflictWhileTheSameOrderIsBeingShipped() {
        long orderId = client.placeOrder();
        CompletableFuture<Answer> running = client.postAsync(shipment(orderId));
        awaitHeld("OrderService.ship:" + orderId);

        Answer refused = client.post(shipment(orderId));

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.contentType()).isEqualTo("application/problem+json");
        assertThat(refused.text("title")).isEqualTo("Locked by another request");
        assertThat(refused.text("lock")).isEqualTo("OrderService.ship:" + orderId);
        assertThat(refused.text("detail")).contains("'OrderService.ship:" + orderId + "'", "500ms");
        assertThat(running.join().status()).isEqualTo(200);
    }

    @Test
    void shipsDifferentOrdersAtTheSameTime() {
        List<CompletableFuture<Answer>> shipments = IntStream.range(0, 5)
                .mapToObj(order -> client.postAsync(shipment(client.placeOrder())))
                .toList();

        assertThat(shipments).map(CompletableFuture::join).map(Answer::status).containsOnly(200);
    }

    @ParameterizedTest
    @CsvSource({"GET, /orders/987654321", "POST, /orders/987654321/shipment"})
    void answersNotFoundForAnUnknownOrder(String method, String path) {
        Answer answer = method.equals("GET") ? client.get(path) : client.post(path);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text("detail")).isEqualTo("There is no order 987654321");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/orders/0/shipment",
                "/orders/-1/shipment",
                "/orders/seven/shipment",
                "/orders/99999999999999999999/shipment",
                "/pages/UPPER/views/locked",
                "/pages/a%7Bb%7D/views/unlocked",
                "/pages/home/views/locked/burst?count=0",
                "/pages/home/views/unlocked/burst?count=1001",
                "/pages/home/views/locked/burst?count=many"
            })
    void answersBadRequestForAnImpossibleAddress(String path) {
        Answer answer = client.post(path);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"item\":\" \",\"quantity\":1}",
                "{\"item\":\"lamp\",\"quantity\":0}",
                "{\"item\":\"lamp\",\"quantity\":1001}",
                "{\"quantity\":1}",
                "{\"item\":",
                ""
            })
    void answersBadRequestForAnImpossibleOrder(String json) {
        assertThat(client.post("/orders", json).status()).isEqualTo(400);
    }

    @Test
    void saysWhatIsWrongWithARequest() {
        assertThat(client.post("/orders/-1/shipment").text("detail")).isEqualTo("orderId must be greater than 0");
        assertThat(client.post("/orders", "{\"item\":\" \",\"quantity\":0}").text("detail"))
                .isEqualTo("item must not be blank; quantity must be greater than 0");
    }

    @Test
    void skipsAReportWhileAnotherRuns() {
        client.post(shipment(client.placeOrder()));
        CompletableFuture<Answer> running = client.postAsync("/jobs/report");
        awaitHeld("report");

        Answer second = client.post("/jobs/report");

        assertThat(second.status()).isEqualTo(200);
        assertThat(second.text("outcome")).isEqualTo("skipped: another run is in progress");
        Answer first = running.join();
        assertThat(first.text("outcome")).isEqualTo("done");
        assertThat(first.body().path("report").path("shipped").asLong()).isPositive();
        assertThat(client.post("/jobs/report").text("outcome")).isEqualTo("done");
    }

    @Test
    void printsEachCopyOfALabelOnce() {
        long orderId = client.placeOrder();

        List<CompletableFuture<Answer>> labels = IntStream.range(0, 5)
                .mapToObj(copy -> client.postAsync("/orders/" + orderId + "/label"))
                .toList();

        assertThat(labels)
                .map(CompletableFuture::join)
                .map(label -> label.number("copy"))
                .containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
        assertThat(locks.heldLocks().size()).isZero();
    }

    @Test
    void numbersInvoicesWithoutAGap() {
        long orderId = client.placeOrder();
        long before = client.post("/orders/" + orderId + "/invoice").number("number");

        List<CompletableFuture<Answer>> invoices = IntStream.range(0, 20)
                .mapToObj(invoice -> client.postAsync("/orders/" + orderId + "/invoice"))
                .toList();

        assertThat(invoices)
                .map(CompletableFuture::join)
                .map(invoice -> invoice.number("number"))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(before + 1, before + 20).boxed().toList());
        assertThat(client.post("/orders/987654321/invoice").status()).isEqualTo(404);
    }

    @Test
    void keepsTheIndexLockForLongerThanItsLease() {
        Answer rebuilt = client.post("/jobs/index");

        assertThat(rebuilt.status()).isEqualTo(200);
        assertThat(rebuilt.number("tookMs")).isGreaterThan(3 * rebuilt.number("leaseMs"));
        assertThat(rebuilt.number("shortestRemainingLeaseMs")).isPositive();
        assertThat(rebuilt.body().path("stillHeld").asBoolean()).isTrue();
        assertThat(rebuilt.number("fencingToken")).isPositive();
    }

    @Test
    void answersServerErrorWhenTheIndexLockIsDeletedByHand() {
        CompletableFuture<Answer> running = client.postAsync("/jobs/index");
        awaitHeld("index");

        assertThat(redis.delete("lock:{index}")).isTrue();

        Answer answer = running.join();
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.text("title")).isEqualTo("Lock lost while working");
        assertThat(answer.text("lock")).isEqualTo("index");
    }

    @Test
    void losesNoViewUnderTheLock() {
        List<CompletableFuture<Answer>> views = IntStream.range(0, VIEWS)
                .mapToObj(view -> client.postAsync("/pages/exact/views/locked"))
                .toList();

        assertThat(views).map(CompletableFuture::join).map(Answer::status).containsOnly(200);
        assertThat(client.get("/pages/exact/views").number("views")).isEqualTo(VIEWS);
    }

    @Test
    void losesViewsInABurstWithoutTheLockOnly() {
        Answer unlocked = client.post("/pages/burst/views/unlocked/burst?count=" + VIEWS);
        Answer locked = client.post("/pages/burst/views/locked/burst?count=" + VIEWS);

        assertThat(unlocked.number("lost")).isPositive();
        assertThat(locked.number("lost")).isZero();
        assertThat(locked.number("actual")).isEqualTo(unlocked.number("actual") + VIEWS);
    }

    @Test
    void countsASingleViewEitherWay() {
        assertThat(client.post("/pages/single/views/unlocked").number("views")).isEqualTo(1);
        assertThat(client.post("/pages/single/views/locked").number("views")).isEqualTo(2);
    }

    @Test
    void showsHeldLocksAndMetersWhileALockIsHeld() {
        CompletableFuture<Answer> running = client.postAsync("/jobs/report");
        awaitHeld("report");

        JsonNode held = client.get("/actuator/locks").body();
        assertThat(held.path("heldTotal").asInt()).isEqualTo(1);
        assertThat(held.path("held").path(0).path("key").asString()).isEqualTo("report");
        JsonNode stored = client.get("/actuator/locks?key=report").body().path("store");
        assertThat(stored.path("state").asString()).isEqualTo("HELD");
        assertThat(stored.path("holder").path("instance").asString())
                .isEqualTo(held.path("instance").asString());
        assertThat(client.get("/actuator/metrics/distributed.lock.held").status())
                .isEqualTo(200);
        running.join();
        assertThat(client.get("/actuator/metrics/distributed.lock.acquire?tag=name:report")
                        .status())
                .isEqualTo(200);
        assertThat(client.get("/actuator/health").text("status")).isEqualTo("UP");
        JsonNode health = client.get("/actuator/health/distributedLock").body();
        assertThat(health.path("status").asString()).isEqualTo("UP");
        assertThat(health.path("details").path("hearsSignals").asBoolean()).isTrue();
    }

    @Test
    void tellsPrometheusOfItsLocks() {
        client.post("/pages/scraped/views/locked");

        assertThat(client.text("/actuator/prometheus"))
                .containsPattern("distributed_lock_acquire_seconds_count\\{[^}]*name=\"[^\"]+\"[^}]*} [1-9]")
                .contains("distributed_lock_held{", "distributed_lock_waiting{", "distributed_lock_lost_total{")
                .doesNotContain("scraped"); // the key
    }

    @Test
    void takesNoLockAwayUnlessAccessIsUnrestricted() {
        String order = "{\"key\":\"report\",\"fencingToken\":17,\"reason\":\"hangs\"}";

        assertThat(client.post("/actuator/locks", order).status()).isEqualTo(405);
    }

    private void awaitHeld(String key) {
        HeldLocks held = locks.heldLocks();
        await().atMost(Duration.ofSeconds(5)).until(() -> held.find(key).isPresent());
    }

    private static String shipment(long orderId) {
        return "/orders/" + orderId + "/shipment";
    }
}
