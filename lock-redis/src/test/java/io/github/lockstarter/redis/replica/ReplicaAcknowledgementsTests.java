package io.github.lockstarter.redis.replica;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockStatic;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.redis.BackendUser;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.github.lockstarter.redis.script.ScriptCall;
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
import org.mockito.MockedStatic;

class ReplicaAcknowledgementsTests {

    private static final ClientResources RESOURCES = ClientResources.create();
    /** Half of it is soon over, and the other half is long enough for a busy machine. */
    private static final Duration HASTE = Duration.ofSeconds(2);

    private static final RedisChannelHandler<?, ?> BROKEN = mock(RedisChannelHandler.class);

    private final CompletableFuture<AcquireResult> acquired = new CompletableFuture<>();
    private StubRedisConnector redis = new StubRedisConnector();
    private RedisLockBackend backend = backend(Duration.ofSeconds(60));

    @BeforeEach
    void acquire() {
        when(redis.link().getResources()).thenReturn(RESOURCES);
        reconnect();
        backend.acquire(new AcquireCommand(BackendUser.KEY, token("a", 1), BackendUser.LEASE, 0, 1, Optional.empty()))
                .thenAccept(acquired::complete);
        awaitSent(1);
        reply(0, 17);
        awaitSent(3);
        assertThat(redis.types()).containsExactly("EVAL", "EVAL", "WAIT");
    }

    private RedisLockBackend backend(Duration commandTimeout) {
        return new RedisLockBackend(
                redis,
                new RedisSettings("lock:", commandTimeout, RedisSettings.Guard.guarding(Duration.ofSeconds(30)), 2));
    }

    /** Begins again with a command timeout of which half is soon over. */
    private void hurry() {
        backend.close();
        redis = new StubRedisConnector();
        backend = backend(HASTE);
        acquire();
    }

    private static void awaitEndOfTime() {
        long begin = System.nanoTime();
        Awaitility.await()
                .until(() -> System.nanoTime() - begin > HASTE.dividedBy(2).toNanos());
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
        reconnect();
        reply(2, 2);
        assertThat(acquired).isNotDone();
        awaitSent(5);
        assertThat(redis.types()).endsWith("EVAL", "WAIT");
        reply(3, 1);
        reply(4, 2);
        assertThat(answer(acquired)).isInstanceOf(AcquireResult.Granted.class);
    }

    @Test
    void countReplicasInARoundThatBeganWhileTheConnectionWasDown() {
        reply(1, 1);
        reply(2, 2);
        breakConnections();
        CompletableFuture<AcquireResult> other = acquireOther("b");
        awaitSent(4);
        reply(3, 18);
        awaitSent(6);
        reconnect();
        reply(4, 1);
        reply(5, 2);
        assertThat(answer(other)).isEqualTo(new AcquireResult.Granted(18, 0));
        assertThat(redis.sent()).hasSize(6);
    }

    @Test
    void giveUpWhenTheConnectionBrokeAndNoTimeIsLeft() {
        hurry();
        reply(1, 1);
        breakConnections();
        reconnect();
        awaitEndOfTime();
        reply(2, 2);
        failsSaying("the connection to Redis at stub:1 broke before the answer came");
        assertThat(redis.sent()).hasSize(3);
    }

    @Test
    void countNoReplicaWhereTheServerGivesNoNumber() {
        hurry();
        reply(1, 1);
        awaitEndOfTime();
        redis.sent().get(2).complete();
        failsSaying("only 0 of the 2 replicas");
    }

    @Test
    void giveUpWhenTheServerDoesNotAnswerSoonAfterTheTimeOfTheReplicas() {
        hurry();
        failsSaying("no answer from Redis at stub:1");
    }

    @Test
    void failWhatCannotBeSentAndGoOn() {
        CompletableFuture<AcquireResult> other = acquireOther("b");
        awaitSent(4);
        ScriptCall<Long> unbuildable = mock();
        when(unbuildable.byText()).thenThrow(new StackOverflowError());
        try (MockedStatic<ReleaseScript> scripts = mockStatic(ReleaseScript.class)) {
            scripts.when(() -> ReleaseScript.confirm(any(), any())).thenReturn(unbuildable);
            reply(3, 18);
        }
        reply(1, 1);
        reply(2, 2);
        assertThat(answer(acquired)).isInstanceOf(AcquireResult.Granted.class);
        assertThat(answer(other)).isInstanceOf(AcquireResult.Unknown.class);
        CompletableFuture<AcquireResult> later = acquireOther("c");
        awaitSent(5);
        reply(4, 19);
        awaitSent(7);
        reply(5, 1);
        reply(6, 2);
        assertThat(answer(later)).isInstanceOf(AcquireResult.Granted.class);
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

    private CompletableFuture<AcquireResult> acquireOther(String instance) {
        return backend.acquire(new AcquireCommand(
                        "other:" + instance, token(instance, 1), BackendUser.LEASE, 0, 1, Optional.empty()))
                .toCompletableFuture();
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
        when(redis.link().isOpen()).thenReturn(false);
        ArgumentCaptor<RedisConnectionStateListener> listeners =
                ArgumentCaptor.forClass(RedisConnectionStateListener.class);
        verify(redis.link(), atLeastOnce()).addListener(listeners.capture());
        listeners.getAllValues().forEach(listener -> listener.onRedisDisconnected(BROKEN));
    }

    private void reconnect() {
        when(redis.link().isOpen()).thenReturn(true);
    }
}
