package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.lettuce.core.KillArgs;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server closes connections because of its own limits. */
class ServerLimitsIT extends RedisScenario {

    @AfterEach
    void restoreLimits() {
        redis().configSet("maxclients", "10000");
        redis().configSet("client-output-buffer-limit", "pubsub 33554432 8388608 60");
    }

    @Test
    void keepsTheLockWhileTheServerAcceptsNoConnection() {
        Application application = warmedUp(newHastyApplication());
        LockHandle held = acquired(application, request);
        redis().configSet("maxclients", "1");
        redis().clientKill(KillArgs.Builder.typeNormal());

        assertThatThrownBy(() -> application.locks().tryAcquire("another")).isInstanceOf(LockBackendException.class);
        redis().configSet("maxclients", "10000");

        assertWorksAgain(application, held, LONG_LEASE);
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void aWaiterGetsTheLockAfterTheOutputBufferOfItsMailboxOverflowed() throws Exception {
        LockHandle held = warmedUp(newApplication()).locks().acquire(request);
        Application waiting = warmedUp(newApplication());
        Future<LockHandle> next = elsewhere(() -> waiting.locks().acquire(request.maxWait(Patience.TIME)));
        awaitWaiting();
        List<String> before = redis().clientList()
                .lines()
                .filter(ServerLimitsIT::isOfAMailbox)
                .toList();
        assertThat(before).isNotEmpty();
        redis().configSet("client-output-buffer-limit", "pubsub 1 1 1");
        redis().pubsubChannels("lock:mailbox:*").forEach(mailbox -> redis().publish(mailbox, "x".repeat(100_000)));

        await().untilAsserted(() -> assertThat(redis().clientList().lines().map(ServerLimitsIT::idOf))
                .doesNotContainAnyElementsOf(
                        before.stream().map(ServerLimitsIT::idOf).toList()));
        redis().configSet("client-output-buffer-limit", "pubsub 33554432 8388608 60");
        held.close();

        assertThat(resultOf(next).release()).isNotNull();
    }

    private static boolean isOfAMailbox(String client) {
        return client.contains(" sub=1 ");
    }

    private static String idOf(String client) {
        return client.substring(0, client.indexOf(' '));
    }
}
