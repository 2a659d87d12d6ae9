package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisFaultsIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final LockToken OWNER = token("a", 1);
    private static final RedisSettings.HistoryGuard GUARD = RedisSettings.HistoryGuard.of(Duration.ofSeconds(2));
    private static final RedisSettings HASTY = new RedisSettings("lock:", Duration.ofMillis(600), GUARD);

    private static final RedisSettings PATIENT = new RedisSettings("lock:", Duration.ofSeconds(20), GUARD);

    private RedisCommands<String, String> redis;
    private TcpProxy proxy;
    private RedisLockBackend backend;
    private BackendUser user;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        proxy = TcpProxy.before(REDIS.server());
        use(PATIENT);
    }

    private void use(RedisSettings settings) {
        backend = new RedisLockBackend(new DirectRedisConnector(uri(), settings), settings);
        user = new BackendUser(backend);
    }

    /** So that a command without an answer ends soon. */
    private void useHasty() {
        backend.close();
        use(HASTY);
    }

    @AfterEach
    void close() {
        proxy.flow();
        backend.close();
        proxy.close();
    }

    @Test
    void holdsOnceWithOneFencingTokenWhenAnAcquisitionIsExecutedTwice() {
        user.renew(OWNER, BackendUser.LEASE);
        CompletableFuture<String> dropped = proxy.dropReplyTo(request -> request.contains("a:1"));
        long fencingToken = user.granted(OWNER);
        assertThat(dropped).isCompleted();
        assertThat(redis.get("lock:fence")).isEqualTo(Long.toString(fencingToken));
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(redis.exists("lock:{order:42}")).isZero();
    }

    @Test
    void releasesOnceWhenAReleaseIsExecutedTwice() {
        long fencingToken = user.granted(OWNER);
        CompletableFuture<String> dropped = proxy.dropReplyTo(request -> request.contains("a:1"));
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(dropped).isCompleted();
    }

    /** The other one has the lock because the first copy released it: nothing was lost. */
    @Test
    void reportsNoLossWhenTheSecondCopyOfAReleaseFindsAnotherOwner() {
        try (RedisLockBackend twice = patient()) {
            long fencingToken = new BackendUser(twice).granted(OWNER);
            CompletableFuture<String> dropped = proxy.dropReplyTo(request -> request.contains("a:1"));
            proxy.refuse();
            CompletableFuture<ReleaseResult> released = twice.releaseToken(
                            new ReleaseCommand(BackendUser.KEY, OWNER, fencingToken))
                    .toCompletableFuture();
            answer(dropped);
            String other = String.format("%016d b:1", fencingToken + 1);
            redis.set("lock:{order:42}", other);
            proxy.accept();
            assertThat(answer(released)).isEqualTo(new ReleaseResult.FoundFree());
            assertThat(redis.get("lock:{order:42}")).isEqualTo(other);
        }
    }

    @Test
    void reportsUnknownWhenTheFirstCopyOfAnAcquisitionMayHaveBeenExecuted() {
        try (RedisLockBackend twice = patient()) {
            new BackendUser(twice).renew(OWNER, BackendUser.LEASE);
            CompletableFuture<String> dropped = proxy.dropReplyTo(request -> request.contains("a:1"));
            proxy.refuse();
            CompletableFuture<AcquireResult> acquired = twice.attemptAcquire(
                            new AcquireCommand(BackendUser.KEY, OWNER, BackendUser.LEASE, 0, 1, Optional.empty()))
                    .toCompletableFuture();
            answer(dropped);
            REDIS.server().grantDefaultUser("-evalsha", "-eval");
            proxy.accept();
            assertThat(answer(acquired))
                    .isInstanceOfSatisfying(AcquireResult.Unknown.class, unknown -> assertThat(unknown.reason())
                            .contains("refused: NOPERM"));
            assertThat(redis.get("lock:{order:42}")).endsWith(" a:1");
        }
    }

    @Test
    void reportsUnknownForACommandThatIsNotAnsweredInTime() {
        useHasty();
        user.renew(OWNER, BackendUser.LEASE);
        proxy.stallReplies();
        long start = System.nanoTime();
        AcquireResult acquired = user.acquire(OWNER);
        long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertThat(acquired).isInstanceOfSatisfying(AcquireResult.Unknown.class, unknown -> assertThat(unknown.reason())
                .contains("No answer from Redis at", "within 600ms"));
        assertThat(elapsed).isGreaterThanOrEqualTo(500L);
        assertThat(user.renew(OWNER, BackendUser.LEASE)).isInstanceOf(RenewResult.Unknown.class);
        assertThat(user.release(OWNER, 0)).isInstanceOf(ReleaseResult.Unknown.class);
        assertThat(user.withdraw(OWNER)).isInstanceOf(ReleaseResult.Unknown.class);
    }

    @Test
    void reportsUnknownForEveryLockOfACallThatIsNotAnsweredInTime() {
        useHasty();
        user.renew(OWNER, BackendUser.LEASE);
        proxy.stallReplies();
        List<RenewCommand> commands = IntStream.range(0, 60)
                .mapToObj(i -> new RenewCommand("order:" + i, OWNER, BackendUser.LEASE, 0, 0))
                .toList();
        assertThat(backend.renewLeases(commands))
                .hasSize(60)
                .extracting(BackendUser::answer)
                .hasOnlyElementsOfType(RenewResult.Unknown.class);
    }

    @Test
    void executesStalledCommandsInOrderOnceTheServerContinues() {
        useHasty();
        user.renew(OWNER, BackendUser.LEASE);
        proxy.stallRequests();
        assertThat(user.acquire(OWNER)).isInstanceOf(AcquireResult.Unknown.class);
        assertThat(user.release(OWNER, 0)).isInstanceOf(ReleaseResult.Unknown.class);
        proxy.flow();
        awaitGrant(user, token("a", 2));
    }

    @Test
    void renewsAfterTheConnectionWasCut() {
        try (RedisLockBackend patient = patient()) {
            BackendUser its = new BackendUser(patient);
            its.granted(OWNER);
            proxy.cut();
            assertThat(its.renew(OWNER, BackendUser.LEASE)).isInstanceOf(RenewResult.Renewed.class);
        }
    }

    /** Repeats an attempt that a busy machine does not answer in time. */
    private static void awaitGrant(BackendUser hasty, LockToken token) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(hasty.acquire(token)).isInstanceOf(AcquireResult.Granted.class));
    }

    @Test
    void tellsWaitersToRetryWhenTheMailboxIsRestored() {
        RecordedSignals signals = new RecordedSignals();
        backend.listen("a", signals);
        user.granted(OWNER);
        assertThat(signals.restored()).isZero();
        proxy.cut();
        Awaitility.await().atMost(Patience.TIME).untilAsserted(() -> assertThat(signals.restored())
                .isEqualTo(1));
        redis.publish("lock:mailbox:a", BackendUser.KEY);
        Awaitility.await().atMost(Patience.TIME).untilAsserted(() -> assertThat(signals.keys())
                .containsExactly(BackendUser.KEY));
    }

    @Test
    void rejectsCommandsThatExceedTheQueueOfTheClient() {
        ClientOptions two =
                HASTY.tune(ClientOptions.create()).mutate().requestQueueSize(2).build();
        RedisConnector narrow = mock(RedisConnector.class, delegatesTo(new DirectRedisConnector(uri(), HASTY, two)));
        doReturn(false).when(narrow).mayBeSharded(); // else the first connection sends more than two commands at once
        try (RedisLockBackend small = new RedisLockBackend(narrow, HASTY)) {
            BackendUser impatient = new BackendUser(small);
            awaitGrant(impatient, OWNER);
            proxy.stallReplies();
            // 32 travel together at most.
            List<CompletableFuture<AcquireResult>> results = IntStream.range(2, 152)
                    .mapToObj(i -> small.attemptAcquire(new AcquireCommand(
                                    BackendUser.KEY, token("a", i), BackendUser.LEASE, 0, 1, Optional.empty()))
                            .toCompletableFuture())
                    .toList();
            assertThat(answer(results.get(149)))
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .contains("was not sent to Redis", "size exceeded: 2"));
            List<RenewCommand> renewals = List.of(new RenewCommand(BackendUser.KEY, OWNER, BackendUser.LEASE, 0, 0));
            assertThat(answer(small.renewLeases(renewals).get(0))).isInstanceOf(RenewResult.Unknown.class);
        }
    }

    @Test
    void closesAllConnections() {
        backend.listen("a", new RecordedSignals());
        user.granted(OWNER);
        assertThat(proxy.connections()).isEqualTo(2);
        backend.close();
        Awaitility.await().atMost(Patience.TIME).untilAsserted(() -> assertThat(proxy.connections())
                .isZero());
    }

    private RedisLockBackend patient() {
        return new RedisLockBackend(new DirectRedisConnector(uri(), PATIENT), PATIENT);
    }

    private RedisURI uri() {
        return RedisURI.create(proxy.host(), proxy.port());
    }
}
