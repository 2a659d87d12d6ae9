package io.github.lockstarter.redis.connection;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.BackendUser;
import io.github.lockstarter.redis.LockScript;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisConnectionsTests {

    private static final LockToken OWNER = token("a", 1);

    private final StubRedisConnector redis = new StubRedisConnector();
    private final RedisLockBackend backend = new RedisLockBackend(redis, RedisSettings.DEFAULTS);
    private final CountDownLatch connecting = new CountDownLatch(1);
    private final CompletableFuture<Void> connected = new CompletableFuture<>();

    @AfterEach
    void close() {
        connected.complete(null);
        backend.close();
    }

    @Test
    void answersAllCallersWhenConnectingFailsAndConnectsAgain() {
        redis.connecting(() -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        assertThat(answer(acquire()))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("stub:1", "unable to create native thread"));
        assertThat(answer(release())).isInstanceOf(ReleaseResult.Unknown.class);
        redis.connecting();
        release();
        awaitSent(1);
        assertThat(redis.attempts()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Connection refused", "Connection closed prematurely"})
    void connectsOncePerCommandUntilTheServerAccepts(String refusal) {
        redis.connecting(() -> {
            throw new RedisConnectionException(refusal);
        });
        assertThat(answer(acquire())).isInstanceOf(AcquireResult.Rejected.class);
        assertThat(answer(renew())).isInstanceOf(RenewResult.Unknown.class);
        assertThat(redis.attempts()).isEqualTo(2);
        redis.connecting();
        renew();
        awaitSent(1);
        assertThat(redis.attempts()).isEqualTo(3);
    }

    @Test
    void connectsWithTheContextClassLoaderOfTheCreatingThread() {
        CompletableFuture<ClassLoader> context = new CompletableFuture<>();
        redis.connecting(() -> {
            context.complete(Thread.currentThread().getContextClassLoader());
            return redis.link();
        });
        ClassLoader application = new ClassLoader() {};
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(application);
        RedisLockBackend made;
        try {
            made = new RedisLockBackend(redis, RedisSettings.DEFAULTS);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
        try (made) {
            made.releaseToken(ReleaseCommand.endOfWait(BackendUser.KEY, OWNER));
            assertThat(answer(context)).isSameAs(application);
        }
    }

    @Test
    void answersWhenTheConnectorReturnsNull() {
        redis.connecting(() -> null);
        assertThat(answer(acquire())).isInstanceOf(AcquireResult.Rejected.class);
        assertThat(answer(acquire())).isInstanceOf(AcquireResult.Rejected.class);
    }

    @ParameterizedTest
    @EnumSource
    void answersWhenSendingThrowsAnError(Verb verb) {
        release();
        awaitSent(1);
        redis.failSending(new StackOverflowError());
        assertThat(answer(verb.send(backend)).toString()).contains("Unknown");
    }

    @Test
    void answersWhenTheReplyCannotBeRead() {
        CompletableFuture<ReleaseResult> released = release();
        awaitSent(1);
        redis.sent().get(0).complete();
        assertThat(answer(released)).isInstanceOf(ReleaseResult.Unknown.class);
    }

    @Test
    void sendsCommandsThatArrivedWhileConnectingInTheirOrder() throws InterruptedException {
        holdConnecting();
        acquire();
        connecting.await();
        withdraw();
        release();
        connected.complete(null);
        awaitSent(3);
        assertThat(redis.sent())
                .extracting(command -> command.getArgs().toCommandString())
                .satisfiesExactly(
                        first -> assertThat(first).contains(encoded(LockScript.ACQUIRE)),
                        second -> assertThat(second).contains(encoded(LockScript.RELEASE)),
                        third -> assertThat(third).contains(encoded(LockScript.RELEASE)));
    }

    /** The loop's next command would overtake one that another thread has sent. */
    @Test
    void sendsCommandsThatArrivedWhileConnectingFromTheEventLoop() throws InterruptedException {
        holdConnecting();
        acquire();
        connecting.await();
        release();
        connected.complete(null);
        awaitSent(2);
        assertThat(redis.isSentByOthers()).isFalse();
    }

    @Test
    void answersWhenTheEventLoopIsShutDown() {
        ScheduledExecutorService ended = Executors.newSingleThreadScheduledExecutor();
        ended.shutdown();
        redis.runOn(ended);
        assertThat(answer(acquire())).isInstanceOf(AcquireResult.Rejected.class);
        redis.verifyClosed();
    }

    @Test
    void answersEachCallerWithinItsOwnCommandTimeoutWhileConnecting() throws InterruptedException {
        RedisSettings hasty =
                new RedisSettings("lock:", RedisSettings.MIN_COMMAND_TIMEOUT, RedisSettings.DEFAULTS.guard());
        holdConnecting();
        try (RedisLockBackend waiting = new RedisLockBackend(redis, hasty)) {
            BackendUser user = new BackendUser(waiting);
            for (int i = 0; i < 2; i++) { // the second one arrives during the attempt of the first one
                assertThat(user.acquire(OWNER))
                        .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                                .contains("Could not connect to Redis at stub:1: no answer within 100ms"));
            }
            assertThat(redis.attempts()).isEqualTo(1);

            connected.complete(null);
            CompletableFuture<?> released;
            do { // a slow machine sends none within the timeout
                CompletableFuture<?> next = waiting.releaseToken(new ReleaseCommand(BackendUser.KEY, OWNER, 0))
                        .toCompletableFuture();
                Awaitility.await().until(() -> next.isDone() || !redis.sent().isEmpty());
                released = next;
            } while (redis.sent().isEmpty());
            assertThat(redis.attempts()).isEqualTo(1);
            replyTo(redis.sent().get(0));
            answer(released);
        }
    }

    /** Without the mailbox no pulse opens the connection, and an instance that waits for signals sends no commands. */
    @Test
    void connectsAgainForAMailboxWithoutACommand() {
        redis.connecting(() -> {
            throw new RedisConnectionException("Connection refused");
        });
        try (RedisConnections connections = new RedisConnections(redis, RedisSettings.DEFAULTS, Duration.ofMillis(1))) {
            connections.subscribe(mailbox());
            Awaitility.await().until(() -> redis.attempts() >= 3);

            connections.stop();
            int attempts = redis.attempts();
            assertThat(connections.open("a")).isPresent();
            Awaitility.await()
                    .during(Duration.ofMillis(Patience.MOMENT_MILLIS))
                    .until(() -> redis.attempts() == attempts);

            connections.start();
            assertThat(connections.open("a")).isPresent();
            Awaitility.await().until(() -> redis.attempts() >= attempts + 3);
        }
    }

    @Test
    void connectsAgainOnceAfterManyFailedCommands() {
        ScheduledThreadPoolExecutor loop = new ScheduledThreadPoolExecutor(1);
        loop.setRemoveOnCancelPolicy(true);
        redis.runOn(loop);
        redis.connecting(() -> {
            throw new RedisConnectionException("Connection refused");
        });
        try (RedisConnections connections = new RedisConnections(redis, RedisSettings.DEFAULTS, Duration.ofHours(1))) {
            connections.subscribe(mailbox());
            for (int i = 0; i < 5; i++) {
                assertThat(connections.open("a")).isPresent();
            }
            assertThat(loop.getQueue()).hasSize(1);
        } finally {
            loop.shutdownNow();
        }
    }

    private static SignalMailbox mailbox() {
        return new SignalMailbox("lock:mailbox:a", mock(SignalListener.class), () -> true, () -> {});
    }

    @Test
    void startWaitsForTheEndOfTheConnectionAttempt() throws InterruptedException {
        RedisSettings hasty =
                new RedisSettings("lock:", RedisSettings.MIN_COMMAND_TIMEOUT, RedisSettings.DEFAULTS.guard());
        holdConnecting();
        try (RedisLockBackend starting = new RedisLockBackend(redis, hasty)) {
            CompletableFuture<Void> started = CompletableFuture.runAsync(starting::start);
            connecting.await();
            assertThat(new BackendUser(starting).acquire(OWNER)).isInstanceOf(AcquireResult.Rejected.class);
            assertThat(started).isNotDone();
            connected.complete(null);
            Awaitility.await().until(() -> !redis.sent().isEmpty());
            redis.sent().get(0).completeExceptionally(new RedisException("refused"));
            assertThat(started)
                    .failsWithin(Patience.TIME)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(RedisUnavailableException.class);
        }
    }

    @Test
    void stopClosesAConnectionThatIsBeingOpened() throws InterruptedException {
        holdConnecting();
        CompletableFuture<AcquireResult> waiting = acquire();
        connecting.await();
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(backend::stop);
        assertThat(answer(waiting))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("stub:1", "the lock client is stopped"));
        assertThat(stopped).isNotDone();
        verify(redis.link(), never()).close();
        connected.complete(null);
        answer(stopped);
        redis.verifyClosed();
        assertThat(redis.sent()).isEmpty();
    }

    @Test
    void refusesCommandsBetweenStopAndStart() {
        release();
        awaitSent(1);
        backend.stop();
        redis.verifyClosed();
        assertThat(answer(acquire()))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("stub:1", "the lock client is stopped"));
        assertThat(answer(release()))
                .isInstanceOfSatisfying(ReleaseResult.Unknown.class, unknown -> assertThat(unknown.reason())
                        .contains("the lock client is stopped"));
        assertThat(redis.attempts()).isEqualTo(1);
        redis.connecting(() -> {
            throw new RedisException("refused");
        });
        assertThatExceptionOfType(RedisUnavailableException.class)
                .isThrownBy(backend::start)
                .withMessageContaining("refused");
        redis.connecting();
        release();
        awaitSent(2);
        assertThat(redis.attempts()).isEqualTo(3);
    }

    @Test
    void startAfterCloseStaysClosed() {
        backend.close();
        assertThatExceptionOfType(RedisUnavailableException.class)
                .isThrownBy(backend::start)
                .withMessageContaining("the lock client is closed");
        assertThat(redis.attempts()).isZero();
    }

    @Test
    void connectsOnDemandBeforeTheFirstStart() {
        release();
        awaitSent(1);
        assertThat(redis.attempts()).isEqualTo(1);
    }

    @Test
    void reportsUnavailableWhenTheConnectionIsClosedBeforeSending() {
        release();
        awaitSent(1);
        redis.failSending(new RedisException("Connection is closed"));
        assertThat(answer(acquire()))
                .isInstanceOfSatisfying(AcquireResult.Unavailable.class, unavailable -> assertThat(unavailable.reason())
                        .contains("No command was sent to Redis at stub:1"));
    }

    @Test
    void reportsUnknownForACommandSentBeforeTheConnectionWasClosed() {
        CompletableFuture<AcquireResult> acquired = acquire();
        awaitSent(1);
        redis.sent().get(0).completeExceptionally(new RedisException("Connection closed"));
        assertThat(answer(acquired)).isInstanceOf(AcquireResult.Unknown.class);
    }

    @Test
    void sendsScriptsInFullUntilTheServerHasAnsweredThem() {
        withdraw();
        withdraw();
        awaitSent(2);
        replyTo(redis.sent().get(0));
        withdraw();
        awaitSent(3);
        assertThat(redis.types()).containsExactly("EVAL", "EVAL", "EVALSHA");
    }

    @Test
    void sendsAllScriptsInFullOnceTheServerHasForgottenOne() {
        release();
        withdraw();
        awaitSent(2);
        redis.sent().forEach(RedisConnectionsTests::replyTo);
        release();
        withdraw();
        awaitSent(4);
        redis.sent().get(2).completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
        withdraw();
        awaitSent(6);
        assertThat(redis.types()).containsExactly("EVAL", "EVAL", "EVALSHA", "EVALSHA", "EVAL", "EVAL");
    }

    private void holdConnecting() {
        StatefulConnection<String, String> link = redis.link();
        redis.connecting(() -> {
            connecting.countDown();
            connected.join();
            return link;
        });
    }

    private CompletableFuture<AcquireResult> acquire() {
        return backend.attemptAcquire(
                        new AcquireCommand(BackendUser.KEY, OWNER, BackendUser.LEASE, 0, 1, Optional.empty()))
                .toCompletableFuture();
    }

    private CompletableFuture<RenewResult> renew() {
        return Verb.RENEW.send(backend).thenApply(RenewResult.class::cast).toCompletableFuture();
    }

    private CompletableFuture<ReleaseResult> release() {
        return backend.releaseToken(new ReleaseCommand(BackendUser.KEY, OWNER, 0))
                .toCompletableFuture();
    }

    private void withdraw() {
        assertThat(backend.releaseToken(ReleaseCommand.endOfWait(BackendUser.KEY, OWNER)))
                .isNotNull();
    }

    private void awaitSent(int count) {
        Awaitility.await().untilAsserted(() -> assertThat(redis.sent()).hasSize(count));
    }

    private static void replyTo(AsyncCommand<?, ?, ?> command) {
        CommandOutput<?, ?, ?> output = command.getOutput();
        output.set(1);
        command.complete();
    }

    private static String encoded(LockScript script) {
        return script.text().lines().findFirst().orElseThrow();
    }

    enum Verb {
        ACQUIRE {
            @Override
            CompletionStage<?> send(RedisLockBackend backend) {
                return backend.attemptAcquire(
                        new AcquireCommand(BackendUser.KEY, OWNER, BackendUser.LEASE, 0, 1, Optional.empty()));
            }
        },
        RENEW {
            @Override
            CompletionStage<RenewResult> send(RedisLockBackend backend) {
                return backend.renewLeases(List.of(new RenewCommand(BackendUser.KEY, OWNER, BackendUser.LEASE, 0, 0)))
                        .get(0);
            }
        };

        abstract CompletionStage<?> send(RedisLockBackend backend);
    }
}
