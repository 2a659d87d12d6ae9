package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.api.KeyValue;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class WaitingInstancesIT extends EtcdScenario {

    @Test
    void signalsOnceForAReleaseBetweenTheRefusalAndTheWatch() {
        Queue<String> signals = new ConcurrentLinkedQueue<>();
        WaitingInstances waiters = new WaitingInstances(
                client,
                new KeyNames(EtcdStore.PREFIX),
                (instance, signalled) -> signals.add(instance + ' ' + signalled),
                Runnable::run);
        LockBackend backend = connected();
        LockToken token = newToken();
        answer(backend.acquire(attempt(token)));
        KeyValue refusedBy = storedLock();
        answer(backend.release(new ReleaseCommand(key, token, 0)));

        answer(waiters.join(waiting(), List.of(refusedBy), refusedBy.getModRevision(), deadline()));

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(signals).containsExactly("me " + key));
        answer(backend.acquire(attempt(newToken())));
        answer(backend.release(new ReleaseCommand(key, token, 0)));
        await().during(Duration.ofMillis(300))
                .untilAsserted(() -> assertThat(signals).hasSize(1));
        assertThat(keys()).as("the lock, the waiter and its message").isEqualTo(3);
        answer(waiters.leave("me", key, deadline()));
        assertThat(keys()).isEqualTo(1);
    }

    @Test
    void storesAWaitingInstanceWithTheNextRefusalAfterAFailure() {
        WaitingInstances waiters = new WaitingInstances(
                client, new KeyNames(EtcdStore.PREFIX), (instance, signalled) -> {}, Runnable::run);
        answer(connected().acquire(attempt(newToken())));
        KeyValue refusedBy = storedLock();
        String owner = "x".repeat(2_000_000) + ":1"; // etcd refuses so long a request
        KeyValue tooLong = refusedBy.toBuilder()
                .setValue(new LockEntry(Optional.of(owner), 0, 1, LEASE).stored())
                .build();

        answer(waiters.join(waiting(), List.of(tooLong), refusedBy.getModRevision(), deadline()));
        assertThat(waiters.isWaiting("me", key)).isFalse();
        answer(waiters.join(waiting(), List.of(refusedBy), refusedBy.getModRevision(), deadline()));

        assertThat(waiters.isWaiting("me", key)).isTrue();
        assertThat(keys()).as("the lock, the waiter and its message").isEqualTo(3);
        answer(waiters.leave("me", key, deadline()));
        waiters.close();
    }

    private WaitingInstances.Waiting waiting() {
        return new WaitingInstances.Waiting("me", key, LEASE, new KeyNames(EtcdStore.PREFIX).slots(key, 1));
    }
}
