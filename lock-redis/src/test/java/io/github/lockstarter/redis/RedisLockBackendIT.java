package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests of a backend to the server, and its results for the answers. */
class RedisLockBackendIT extends BackendOnServer {

    @Test
    void leavesOnlyTheFencingCounterAndTheMarkerBehind() {
        cycle(OWNER);
        assertThat(redis.keys("*")).containsExactlyInAnyOrder("lock:fence", "lock:history");
    }

    private void cycle(LockToken token) {
        assertThat(user.release(token, user.granted(token))).isEqualTo(new ReleaseResult.Released(0));
    }

    @Test
    void reloadsScriptsThatTheServerHasForgotten() {
        long fencingToken = user.granted(OWNER);
        redis.scriptFlush();
        assertThat(user.renew(OWNER, BackendUser.LEASE)).isInstanceOf(RenewResult.Renewed.class);
        redis.scriptFlush();
        assertThat(user.acquire(OTHER)).isInstanceOf(AcquireResult.Contended.class);
        redis.scriptFlush();
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.Released(0));
        redis.scriptFlush();
        assertThat(user.withdraw(OWNER)).isEqualTo(new ReleaseResult.Released(0));
    }

    @Test
    void sendsAReleaseBeforeALaterAttemptWhenBothPrecedeTheConnection() {
        LockToken held = token("a", 1);
        redis.set("lock:{" + BackendUser.KEY + "}", "%016d %s".formatted(7, held.value()));
        backend.releaseToken(new ReleaseCommand(BackendUser.KEY, held, 7));
        CompletionStage<AcquireResult> next = backend.attemptAcquire(
                new AcquireCommand(BackendUser.KEY, token("a", 2), BackendUser.LEASE, 0, 1, Optional.empty()));
        assertThat(answer(next)).isInstanceOf(AcquireResult.Granted.class);
    }

    @Test
    void aBatchedAttemptDoesNotOvertakeAnUnwrittenRelease() throws InterruptedException {
        long fencingToken = user.granted(OWNER);
        CompletableFuture<Void> goOn = stopSending();
        CompletionStage<ReleaseResult> released =
                backend.releaseToken(new ReleaseCommand(BackendUser.KEY, OWNER, fencingToken));
        CompletionStage<AcquireResult> acquired = backend.attemptAcquire(acquire(BackendUser.KEY, OTHER));
        goOn.complete(null);
        assertThat(answer(released)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(answer(acquired)).isInstanceOf(AcquireResult.Granted.class);
    }

    @Test
    void anAttemptThatFindsReadersDelaysNoOther() throws InterruptedException {
        redis.set("lock:{order:42}:p1024", "%016d %s".formatted(7, OWNER.value()));
        redis.set("lock:{order:42}", "%016d %%read".formatted(7));
        List<String> answered = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> goOn = stopSending();
        CompletionStage<Void> contended =
                backend.attemptAcquire(acquire("order:42", OTHER)).thenAccept(result -> answered.add("contended"));
        CompletionStage<Void> granted =
                backend.attemptAcquire(acquire("order:44", OTHER)).thenAccept(result -> answered.add("granted"));
        goOn.complete(null);
        answer(contended);
        answer(granted);
        assertThat(answered).containsExactly("granted", "contended");
    }

    /** Until the future is completed, so that later attempts are collected. */
    private CompletableFuture<Void> stopSending() throws InterruptedException {
        CountDownLatch busy = new CountDownLatch(1);
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        REDIS.server().pause();
        backend.attemptAcquire(acquire("order:43", OTHER)).thenRun(() -> {
            busy.countDown();
            goOn.join();
        });
        REDIS.server().resume();
        assertThat(busy.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        return goOn;
    }

    private static AcquireCommand acquire(String key, LockToken token) {
        return new AcquireCommand(key, token, BackendUser.LEASE, 0, 1, Optional.empty());
    }

    @Test
    void theFailureNamesTheKeyThatHoldsAnotherType() {
        redis.hset("lock:{order:42}", "field", "value");
        assertThat(user.acquire(OWNER))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("'lock:{order:42}' holds another type")
                        .contains("delete it or choose another distributed-lock.key-prefix"));
        assertThat(user.renew(OWNER, BackendUser.LEASE)).isEqualTo(new RenewResult.NotHeld());
        assertThat(user.release(OWNER, 1)).isEqualTo(new ReleaseResult.NotHeld());
        assertThat(user.withdraw(OWNER)).isEqualTo(new ReleaseResult.Released(0));
    }

    @Test
    void theFailureNamesTheCounterThatHoldsAnotherType() {
        redis.lpush("lock:fence", "x");
        assertThat(user.acquire(OWNER))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("'lock:fence'"));
        assertThat(redis.exists("lock:{order:42}")).isZero();
    }

    @Test
    void theFailureSaysWhatToChangeWhenTheServerIsFull() {
        redis.configSet("maxmemory", "1");
        try {
            assertThat(user.acquire(OWNER))
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .startsWith("Redis at")
                            .endsWith("refused: OOM command not allowed when used memory > 'maxmemory'"));
            assertThat(remedyAtTheStart()).contains("free memory or raise it");
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    @Test
    void theFailureSaysWhatToChangeOnAReplica() {
        redis.replicaof("127.0.0.1", 1);
        try {
            assertThat(user.acquire(OWNER))
                    .isInstanceOfSatisfying(AcquireResult.Unavailable.class, passing -> assertThat(passing.reason())
                            .endsWith("refused: READONLY You can't write against a read only replica"));
            assertThat(remedyAtTheStart()).contains("spring.data.redis.host");
        } finally {
            redis.replicaofNoOne();
        }
    }

    private String remedyAtTheStart() {
        return assertThatExceptionOfType(RedisUnavailableException.class)
                .isThrownBy(backend::start)
                .actual()
                .remedy();
    }
}
