package io.github.lockstarter.sample.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class JobIT extends RunningSample {

    @Test
    void skipsAReportWhileAnotherRuns() {
        client.post("/orders/" + client.placeOrder() + "/shipment");
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
    void keepsTheIndexLockForLongerThanItsLease() {
        Answer rebuilt = client.post("/jobs/index");

        assertThat(rebuilt.status()).isEqualTo(200);
        assertThat(rebuilt.number("tookMs")).isGreaterThan(3 * rebuilt.number("leaseMs"));
        assertThat(rebuilt.number("shortestRemainingLeaseMs")).isPositive();
        assertThat(rebuilt.body().path("stillHeld").asBoolean()).isTrue();
        assertThat(rebuilt.number("fencingToken")).isPositive();
    }

    @Test
    void sendsRemindersOnTheLeader() {
        awaitHeld("leader:reminders");
        await().untilAsserted(() -> {
            Answer reminders = client.get("/jobs/reminders");
            assertThat(reminders.body().path("leader").asBoolean()).isTrue();
            assertThat(reminders.number("sent")).isPositive();
            assertThat(reminders.number("term")).isPositive();
        });
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
}
