package io.github.lockstarter.etcd;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.api.KeyValue;
import io.github.lockstarter.etcd.WaitingKeys.RefusedAttempt;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class WaitingKeysIT extends EtcdScenario {

    private final KeyNames names = new KeyNames(EtcdStore.PREFIX);

    @Test
    void signalsOnceForAReleaseBetweenTheRefusalAndTheWatch() {
        Queue<String> signals = new ConcurrentLinkedQueue<>();
        WaitingKeys waiting = new WaitingKeys(client, names, signals::add);
        LockBackend backend = connected();
        LockToken token = newToken();
        answer(backend.attemptAcquire(attempt(token)));
        KeyValue refusedBy = storedLock();
        answer(backend.releaseToken(new ReleaseCommand(key, token, 0)));

        answer(join(waiting, refusedBy));

        await().untilAsserted(() -> assertThat(signals).containsExactly(key));
        answer(backend.attemptAcquire(attempt(newToken())));
        answer(backend.releaseToken(new ReleaseCommand(key, token, 0)));
        await().during(Duration.ofMillis(300))
                .untilAsserted(() -> assertThat(signals).hasSize(1));
        assertThat(keys()).as("the lock, the waiter and its message").isEqualTo(3);
        answer(waiting.leave(key, deadline()));
        assertThat(keys()).isEqualTo(1);
    }

    @Test
    void storesAWaitingInstanceWithTheNextRefusalAfterAFailure() {
        WaitingKeys waiting = new WaitingKeys(client, names, signalled -> {});
        answer(connected().attemptAcquire(attempt(newToken())));
        KeyValue refusedBy = storedLock();
        String owner = "x".repeat(2_000_000) + ":1"; // etcd rejects such a long request
        KeyValue tooLong = refusedBy.toBuilder()
                .setValue(new LockEntry(Optional.of(owner), 0, 1, LEASE).stored())
                .build();

        answer(join(waiting, tooLong));
        assertThat(waiting.isWaiting(key)).isFalse();
        answer(join(waiting, refusedBy));

        assertThat(waiting.isWaiting(key)).isTrue();
        assertThat(keys()).as("the lock, the waiter and its message").isEqualTo(3);
        answer(waiting.leave(key, deadline()));
        waiting.close();
    }

    private CompletableFuture<Void> join(WaitingKeys waiting, KeyValue refusedBy) {
        LockToken me = new LockToken("0123456789abcdef", 1);
        AcquireCommand command =
                new AcquireCommand(key, me, LEASE, 0, 1, Optional.of(new AcquireCommand.Waiting(0, LEASE)));
        RefusedAttempt refusal =
                new RefusedAttempt(command, Set.of(names.lock(key)), List.of(refusedBy), refusedBy.getModRevision());
        return waiting.join(refusal, deadline());
    }
}
