package io.github.lockstarter.redis.replica;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.redis.BackendUser;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

class ReplicaAcknowledgementsTests {

    private static final ClientResources RESOURCES = ClientResources.create();
    private static final RedisChannelHandler<?, ?> BROKEN = mock(RedisChannelHandler.class);

    private final StubRedisConnector redis = new StubRedisConnector();
    private final RedisLockBackend backend = new RedisLockBackend(
            redis,
            new RedisSettings(
                    "lock:", Duration.ofSeconds(60), RedisSettings.Guard.guarding(Duration.ofSeconds(30)), 2));
    private final CompletableFuture<AcquireResult> acquired = new CompletableFuture<>();

    @BeforeEach
    void acquire() {
        when(redis.link().getResources()).thenReturn(RESOURCES);
        backend.acquire(new AcquireCommand(BackendUser.KEY, token("a", 1), BackendUser.LEASE, 0, 1, Optional.empty()))
                .thenAccept(acquired::complete);
        awaitSent(1);
        reply(0, 17);
        awaitSent(3);
        assertThat(redis.types()).containsExactly("EVAL", "EVAL", "WAIT");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @AfterAll
    static void shutDown() {
        RESOURCES.shutdown();
    }

    @Test
    void tellOfAGrantOnceEnoughReplicasHaveIt() {
        reply(1, 1);
        assertThat(acquired).isNotDone();
        reply(2, 2);
        assertThat(answer(acquired)).isEqualTo(new AcquireResult.Granted(17, 0));
    }

    @Test
    void waitNoLongerThanHalfOfTheCommandTimeout() {
        assertThat(redis.sent().get(2).getArgs().toCommandString()).matches("2 (2[0-9]{4}|30000)");
    }

    @Test
    void failWhenTheConnectionBrokeBeforeTheAnswer() {
        reply(1, 1);
        breakConnections();
        reply(2, 2);
        failsSaying("the connection to Redis at stub:1 broke before the answer came");
    }

    @Test
    void askTogetherForWhatIsGrantedDuringARound() {
        acquireOther("b");
        acquireOther("c");
        awaitSent(5);
        reply(3, 18);
        reply(4, 19);
        assertThat(redis.sent()).hasSize(5);
        reply(1, 1);
        reply(2, 2);
        awaitSent(8);
        assertThat(redis.types()).endsWith("EVAL", "EVAL", "WAIT");
    }

    private void acquireOther(String instance) {
        backend.acquire(
                new AcquireCommand("other:" + instance, token(instance, 1), BackendUser.LEASE, 0, 1, Optional.empty()));
    }

    @Test
    void doNotTakeReplicasOfAServerWithoutTheLockForThoseOfTheGrant() {
        reply(1, 0);
        reply(2, 2);
        failsSaying("no longer had the lock");
    }

    @Test
    void saysThatTheUserMayNotWait() {
        reply(1, 1);
        redis.sent().get(2).completeExceptionally(new RedisCommandExecutionException("NOPERM no 'wait'"));
        failsSaying("refused: NOPERM no 'wait'");
    }

    private void failsSaying(String reason) {
        assertThat(answer(acquired))
                .isInstanceOfSatisfying(AcquireResult.Unknown.class, unknown -> assertThat(unknown.reason())
                        .containsIgnoringCase(reason));
    }

    private void awaitSent(int count) {
        Awaitility.await().untilAsserted(() -> assertThat(redis.sent()).hasSize(count));
    }

    private void reply(int place, long number) {
        AsyncCommand<?, ?, ?> command = redis.sent().get(place);
        command.getOutput().set(number);
        command.complete();
    }

    private void breakConnections() {
        ArgumentCaptor<RedisConnectionStateListener> listeners =
                ArgumentCaptor.forClass(RedisConnectionStateListener.class);
        verify(redis.link(), atLeastOnce()).addListener(listeners.capture());
        listeners.getAllValues().forEach(listener -> listener.onRedisDisconnected(BROKEN));
    }
}
