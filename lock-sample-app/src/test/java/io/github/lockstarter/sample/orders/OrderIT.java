package io.github.lockstarter.sample.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class OrderIT extends RunningSample {

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
        Answer refused;
        try (LockHandle other = locks.acquire("OrderService.ship:" + orderId)) {
            refused = client.post(shipment(orderId));
            other.ensureHeld();
        }

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.contentType()).isEqualTo("application/problem+json");
        assertThat(refused.text("title")).isEqualTo("Locked by another request");
        assertThat(refused.body().toString()).doesNotContain("OrderService.ship", "thread");
        assertThat(client.post(shipment(orderId)).status()).isEqualTo(200);
    }

    @Test
    void shipsSeveralOrdersTogetherOrNone() {
        long one = client.placeOrder();
        long other = client.placeOrder();
        Answer refused;
        try (LockHandle ship = locks.acquire("OrderService.ship:" + other)) {
            refused = client.post("/orders/shipment", parcel(other, one));
            ship.ensureHeld();
        }
        assertThat(refused.status()).isEqualTo(409);
        assertThat(client.get("/orders/" + one).body().has("shipment")).isFalse();

        Answer shipped = client.post("/orders/shipment", parcel(other, one));

        assertThat(shipped.status()).isEqualTo(200);
        assertThat(shipped.body())
                .map(order -> order.path("shipment").path("trackingNumber").asString())
                .containsExactly("PARCEL-" + other, "PARCEL-" + other);
        assertThat(client.post(shipment(one)).status()).isEqualTo(409);
        assertThat(client.post("/orders/shipment", "{\"orderIds\":[]}").status())
                .isEqualTo(400);
    }

    private static String parcel(long first, long second) {
        return "{\"orderIds\":[" + first + ',' + second + "]}";
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
                "/orders/99999999999999999999/shipment"
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
    void describesAnInvalidRequest() {
        assertThat(client.post("/orders/-1/shipment").text("detail")).isEqualTo("orderId must be greater than 0");
        assertThat(client.post("/orders", "{\"item\":\" \",\"quantity\":0}").text("detail"))
                .isEqualTo("item must not be blank; quantity must be greater than 0");
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
        assertThat(locks.heldLocks().find("label:" + orderId)).isEmpty();
    }

    private static String shipment(long orderId) {
        return "/orders/" + orderId + "/shipment";
    }
}
