package io.github.lockstarter.sample.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class JobIT extends RunningSample {

    @Test
    void skipsAReportWhileAnotherRuns() {
        client.post("/orders/" + client.placeOrder() + "/shipment");
        try (LockHandle other = locks.acquire("report")) {
            Answer skipped = client.post("/jobs/report");

            assertThat(skipped.status()).isEqualTo(200);
            assertThat(skipped.text("outcome")).startsWith("skipped: another run is in progress");
            other.ensureHeld();
        }
        Answer done = client.post("/jobs/report");
        assertThat(done.text("outcome")).isEqualTo("done");
        assertThat(done.body().path("report").path("shipped").asLong()).isPositive();
    }

    @Test
    void repeatsAReportThatFailedAtOnce() {
        String order = "sample:order:" + client.placeOrder();
        Object item = redis.opsForHash().get(order, "item");
        redis.opsForHash().delete(order, "item");
        try {
            // Skipped while an earlier success keeps the lock.
            await().until(() -> client.post("/jobs/report").status() == 500);
            assertThat(redis.hasKey("lock:{report}")).isFalse();
        } finally {
            redis.opsForHash().put(order, "item", item);
        }
        assertThat(client.post("/jobs/report").text("outcome")).isEqualTo("done");
    }

    /** A pause of this machine ends the lease of a second, too. */
    @Test
    @Tag("timing")
    void keepsTheIndexLockForLongerThanItsLease() {
        Answer rebuilt = client.post("/jobs/index");

        assertThat(rebuilt.status()).isEqualTo(200);
        assertThat(rebuilt.number("tookMs")).isGreaterThan(3 * rebuilt.number("leaseMs"));
        assertThat(rebuilt.number("shortestRemainingLeaseMs")).isPositive();
        assertThat(rebuilt.body().path("stillHeld").asBoolean()).isTrue();
        assertThat(rebuilt.number("fencingToken")).isPositive();
    }

    /** Its blocking call would last for an hour. */
    @Test
    void interruptsTheArchivingWhenItsLockIsDeletedByHand() {
        CompletableFuture<Answer> running = client.postAsync("/jobs/archive");
        awaitHeld("archive");

        redis.delete("lock:{archive}"); // whatever it answers: a pause may have ended its lease

        Answer answer = running.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.text("title")).isEqualTo("Lock lost while working");
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
    void continuesAnExportUnderTheLockOfTheRequest() {
        long before = client.get("/jobs/export").number("done");
        await().until(() -> client.post("/jobs/export").status() == 202);

        await().until(() -> client.get("/jobs/export").number("done") > before);

        await().until(() -> client.post("/jobs/export").status() == 202); // as soon as the lock is free
    }

    @Test
    void refusesAnExportWhileAnotherIsQueued() {
        LockTicket ticket = locks.acquire("export").detach();

        assertThat(client.post("/jobs/export").status()).isEqualTo(409);

        assertThat(locks.release(ticket)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void answersServerErrorWhenTheIndexLockIsDeletedByHand() {
        CompletableFuture<Answer> running = client.postAsync("/jobs/index");
        awaitHeld("index", running);

        redis.delete("lock:{index}"); // whatever it answers: a pause may have ended its lease

        Answer answer = running.join();
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.text("title")).isEqualTo("Lock lost while working");
        assertThat(answer.body().toString()).doesNotContain("'index'");
    }
}
