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
import io.lettuce.core.RedisNoScriptException;
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
    void askAgainWhenTheConnectionBrokeBeforeTheAnswer() {
        reply(1, 1);
        breakConnections();
        reply(2, 2);
        assertThat(acquired).isNotDone();
        awaitSent(5);
        reply(3, 1);
        reply(4, 2);
        assertThat(answer(acquired)).isInstanceOf(AcquireResult.Granted.class);
    }

    @Test
    void giveUpWhenTheConnectionBreaksEachTime() {
        for (int i = 0; i < 4; i++) {
            awaitSent(3 + 2 * i);
            reply(1 + 2 * i, 1);
            breakConnections();
            reply(2 + 2 * i, 2);
        }
        failsSaying("the connection to Redis at stub:1 broke before the answer came");
    }

    @Test
    void askAgainWithTheTextOfAForgottenScript() {
        redis.sent().get(1).completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
        reply(2, 2);
        awaitSent(5);
        assertThat(redis.types()).endsWith("EVAL", "WAIT");
        reply(3, 1);
        reply(4, 2);
        assertThat(answer(acquired)).isInstanceOf(AcquireResult.Granted.class);
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
