package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.failure.RedisFailure.FailureEffect;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A command that a node of a cluster may have redirected to another one, and that is refused in the end. */
class ScriptRunnerTests {

    private static final ScriptCall CALL = new ScriptCall(LockScript.RELEASE, new String[] {"lock:{a}"}, "a:1");
    private static final ScriptRunner.Reader<FailureEffect> EFFECT = new ScriptRunner.Reader<>() {
        @Override
        public FailureEffect of(List<Object> reply, boolean repeated) {
            return FailureEffect.NONE;
        }

        @Override
        public FailureEffect failed(RedisFailure failure) {
            return failure.effect();
        }
    };

    private final List<AsyncCommand<String, String, ?>> sent = new ArrayList<>();
    private final StatefulConnection<String, String> connection = connection();
    private final AtomicInteger breaks = new AtomicInteger();
    private final RedisLink asked = new RedisLink(connection, unfit -> {}, breaks, System::nanoTime);
    private final RedisLink other = new RedisLink(connection, unfit -> {}, breaks, System::nanoTime);
    private final RedisConnections connections = mock(RedisConnections.class);
    private final ScriptRunner runner = new ScriptRunner(
            connections, new RedisExceptionTranslator(new StubRedisConnector(), RedisSettings.DEFAULTS));

    ScriptRunnerTests() {
        asked.watch(connection);
        when(connections.current("lock:{a}")).thenReturn(asked);
    }

    @Test
    void reportsNoEffectWhenNoConnectionBroke() {
        CompletableFuture<FailureEffect> effect = run();
        refuse();
        assertThat(effect).isCompletedWithValue(FailureEffect.NOT_YET);
    }

    @Test
    void reportsUnknownWhenTheConnectionToAnotherNodeBroke() {
        CompletableFuture<FailureEffect> effect = run();
        other.onRedisDisconnected(mock());
        refuse();
        assertThat(effect).isCompletedWithValue(FailureEffect.UNKNOWN);
    }

    @Test
    void reportsThatNothingWasRevokedOnlyWhenNoConnectionBroke() {
        CompletableFuture<Revocation> first = revoke();
        answer(0, 0);
        CompletableFuture<Revocation> second = revoke();
        other.onRedisDisconnected(mock());
        answer(1, 0);
        CompletableFuture<Revocation> third = revoke();
        other.onRedisDisconnected(mock());
        answer(2, 1);

        assertThat(first.join()).isInstanceOf(Revocation.Stale.class);
        assertThat(second.join()).isInstanceOf(Revocation.Unknown.class);
        assertThat(third.join()).isInstanceOf(Revocation.Revoked.class);
    }

    /** A firewall may have forgotten the connection of an instance that sends no other commands. */
    @Test
    void givesUpTheLinkOfAHangingServerEvenIfNobodyWaitsForItsAnswers() {
        AtomicInteger unhealthy = new AtomicInteger();
        RedisLink link = new RedisLink(connection, unfit -> unhealthy.incrementAndGet(), breaks, System::nanoTime);
        link.watch(connection);
        when(connections.current("lock:{a}")).thenReturn(link);
        for (int i = 0; i < 3; i++) {
            assertThat(unhealthy).hasValue(0);
            runner.runIfConnected(CALL, EFFECT);
            sent.get(i).completeExceptionally(new RedisCommandTimeoutException());
        }
        assertThat(unhealthy).hasValue(1);
    }

    @Test
    void sendsToTheNodeItselfWhatMayNotBeRedirected() {
        StatefulConnection<String, String> cluster = mock();
        RedisLink link = new RedisLink(cluster, unfit -> {}, breaks, System::nanoTime);
        when(connections.current("lock:{a}")).thenReturn(link);
        runner.runIfConnected(CALL, EFFECT);
        assertThat(sent).as("not connected").isEmpty();

        link.watch(connection);
        runner.runIfConnected(CALL, EFFECT);
        assertThat(sent).hasSize(1);
        verifyNoInteractions(cluster);
    }

    private CompletableFuture<Revocation> revoke() {
        return runner.run(
                        new ScriptCall(LockScript.RELEASE, new String[] {"lock:{a}", "w"}, "7"),
                        AdminScripts.REVOKE_READER)
                .toCompletableFuture();
    }

    private void answer(int command, long status) {
        sent.get(command).getOutput().set(status);
        sent.get(command).complete();
    }

    private CompletableFuture<FailureEffect> run() {
        return runner.run(CALL, EFFECT).toCompletableFuture();
    }

    private void refuse() {
        sent.get(0).completeExceptionally(new RedisCommandExecutionException("TRYAGAIN"));
    }

    @SuppressWarnings("unchecked")
    private StatefulConnection<String, String> connection() {
        StatefulConnection<String, String> made = mock(StatefulConnection.class);
        when(made.isOpen()).thenReturn(true);
        when(made.dispatch(any(RedisCommand.class))).thenAnswer(call -> {
            sent.add(call.getArgument(0));
            return call.getArgument(0);
        });
        return made;
    }
}
