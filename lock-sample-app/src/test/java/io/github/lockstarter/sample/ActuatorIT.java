package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ActuatorIT extends RunningSample {

    @Test
    void showsHeldLocksAndMetersWhileALockIsHeld() {
        awaitHeld("leader:reminders");
        LockHandle report = locks.acquire("report");

        JsonNode held = client.get("/actuator/locks").body();
        assertThat(held.path("heldTotal").asInt()).isEqualTo(2);
        assertThat(held.path("held").findValuesAsString("key")).containsExactlyInAnyOrder("report", "leader:reminders");
        JsonNode stored = client.get("/actuator/locks?key=report").body().path("store");
        assertThat(stored.path("state").asString()).isEqualTo("HELD");
        assertThat(stored.path("holder").path("instance").asString())
                .isEqualTo(held.path("instance").asString());
        assertThat(client.get("/actuator/metrics/distributed.lock.held").status())
                .isEqualTo(200);
        report.release();
        assertThat(client.get("/actuator/metrics/distributed.lock.acquire?tag=name:report")
                        .status())
                .isEqualTo(200);
        assertThat(client.get("/actuator/health").text("status")).isEqualTo("UP");
        JsonNode health = client.get("/actuator/health/distributedLock").body();
        assertThat(health.path("status").asString()).isEqualTo("UP");
        assertThat(health.path("details").path("hearsSignals").asBoolean()).isTrue();
    }

    @Test
    void writesADiagnosisAsText() {
        assertThat(client.text("/actuator/locks/diagnosis"))
                .containsPattern("(?m)^lock-starter +\\S+$")
                .containsPattern("(?m)^server +.*redis_version ")
                .containsPattern("(?m)^rights +no command refused$");
        assertThat(client.get("/actuator/locks/else").status()).isEqualTo(404);
    }

    @Test
    void exportsLockMetersToPrometheus() {
        long orderId = client.placeOrder();
        client.post("/orders/" + orderId + "/label");

        assertThat(client.text("/actuator/prometheus"))
                .containsPattern("distributed_lock_acquire_seconds_count\\{[^}]*name=\"[^\"]+\"[^}]*} [1-9]")
                .contains("distributed_lock_held{", "distributed_lock_waiting{", "distributed_lock_lost_total{")
                .doesNotContain("label:" + orderId); // the key
    }

    @Test
    void releasesALockOnlyWithUnrestrictedAccess() {
        String order = "{\"key\":\"report\",\"fencingToken\":17,\"reason\":\"hangs\"}";

        assertThat(client.post("/actuator/locks", order).status()).isEqualTo(405);
    }
}
