package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Renewals, many at once, and the locks that they bring back. */
class RedisLockBackendRenewalIT extends BackendOnServer {

    @Test
    void renewsUpToThirtyTwoLocksWithOneCall() {
        user.renew(OWNER, BackendUser.LEASE);
        assertThat(callsToRenew(1)).isEqualTo(1);
        assertThat(callsToRenew(32)).isEqualTo(1);
        assertThat(callsToRenew(33)).isEqualTo(2);
        assertThat(callsToRenew(95)).isEqualTo(3);
    }

    /** Each lock by a call of its own would time out with many locks, and each retry sends them all again. */
    @Test
    void restoresForgottenLocksWithAsManyCallsAsItRenewsThem() {
        user.renew(OWNER, BackendUser.LEASE); // so that the server knows the script
        List<RenewCommand> held = new ArrayList<>();
        for (int i = 0; i < 320; i++) {
            LockToken token = token("a", 100 + i);
            AcquireCommand command = new AcquireCommand("many:" + i, token, BackendUser.LEASE, 0, 1, Optional.empty());
            AcquireResult.Granted granted = (AcquireResult.Granted) answer(backend.attemptAcquire(command));
            held.add(new RenewCommand("many:" + i, token, BackendUser.LEASE, granted.fencingToken(), 0));
        }
        redis.flushall();
        redis.configResetstat();
        assertThat(backend.renewLeases(held))
                .extracting(BackendUser::answer)
                .hasOnlyElementsOfType(RenewResult.Renewed.class);
        assertThat(redis.keys("lock:{many:*}")).hasSize(320);
        assertThat(scriptCalls()).isEqualTo(10);
        assertThat(Long.parseLong(redis.get("lock:fence")))
                .isGreaterThanOrEqualTo(held.get(319).fencingToken());
    }

    private long callsToRenew(int locks) {
        redis.configResetstat();
        backend.renewLeases(renewals(locks)).forEach(BackendUser::answer);
        return scriptCalls();
    }

    private static long scriptCalls() {
        String stats = REDIS.server().info("commandstats").getOrDefault("cmdstat_evalsha", "");
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }

    private static List<RenewCommand> renewals(int locks) {
        return IntStream.range(0, locks)
                .mapToObj(i -> new RenewCommand("order:" + i, OWNER, Duration.ofMinutes(10), 0, 0))
                .toList();
    }

    @Test
    void renewsManyLocksEachWithItsOwnLease() {
        redis.psetex("lock:{order:0}", 50_000, stored(OWNER));
        redis.psetex("lock:{order:1}", 50_000, stored(OWNER));
        List<CompletionStage<RenewResult>> stages = backend.renewLeases(List.of(
                new RenewCommand("order:0", OWNER, Duration.ofSeconds(100), 0, 0),
                new RenewCommand("order:1", OWNER, Duration.ofSeconds(200), 0, 0)));
        assertThat(stages).extracting(BackendUser::answer).hasOnlyElementsOfType(RenewResult.Renewed.class);
        assertThat(redis.pttl("lock:{order:0}")).isBetween(80_000L, 100_000L);
        assertThat(redis.pttl("lock:{order:1}")).isBetween(180_000L, 200_000L);
    }

    @Test
    void aKeyOfAnotherTypeDoesNotAffectTheOtherRenewals() {
        redis.psetex("lock:{order:0}", 50_000, stored(OWNER));
        redis.lpush("lock:{order:1}", "x");
        redis.psetex("lock:{order:2}", 50_000, stored(OWNER));
        assertThat(backend.renewLeases(renewals(3)))
                .extracting(BackendUser::answer)
                .hasExactlyElementsOfTypes(
                        RenewResult.Renewed.class, RenewResult.NotHeld.class, RenewResult.Renewed.class);
    }

    @Test
    void onlyTheRenewalThatTheServerRefusesIsUnknown() {
        redis.psetex("lock:{order:0}", 50_000, stored(OWNER));
        redis.psetex("lock:{order:1}", 900_000, stored(OWNER));
        user.renew(OWNER, BackendUser.LEASE);
        REDIS.server().grantDefaultUser("-pexpire");
        List<CompletionStage<RenewResult>> stages = backend.renewLeases(renewals(3));
        assertThat(answer(stages.get(0)))
                .isInstanceOfSatisfying(RenewResult.Unknown.class, unknown -> assertThat(unknown.reason())
                        .contains("refused")
                        .containsAnyOf("can't run this command", "run the 'pexpire' command"));
        assertThat(answer(stages.get(1))).isInstanceOf(RenewResult.Renewed.class);
        assertThat(answer(stages.get(2))).isEqualTo(new RenewResult.NotHeld());
    }

    @Test
    void renewsManyLocksWhenTheServerForgetsTheScripts() {
        List<RenewCommand> commands = renewals(96); // full batches, none of which waits for company
        commands.forEach(command -> redis.psetex("lock:{" + command.key() + "}", 50_000, stored(OWNER)));
        user.renew(OWNER, BackendUser.LEASE);
        redis.scriptFlush();
        REDIS.server().pause(); // so that all calls are sent before the first is answered: a later one has the text
        List<CompletionStage<RenewResult>> renewed = backend.renewLeases(commands);
        REDIS.server().resume();
        assertThat(renewed)
                .as("to be renewed again at once")
                .extracting(BackendUser::answer)
                .containsOnly(new RenewResult.Deferred(Duration.ZERO));
        assertThat(backend.renewLeases(commands))
                .extracting(BackendUser::answer)
                .hasOnlyElementsOfType(RenewResult.Renewed.class);
    }

    @Test
    void reportsALossAfterFlushallWithoutTheHistoryGuard() {
        RedisSettings unguarded = RedisStore.WITHOUT_GRACE;
        try (RedisLockBackend other = backend(unguarded)) {
            BackendUser its = new BackendUser(other);
            long fencingToken = its.granted(OWNER);
            redis.flushall();
            assertThat(its.renew(OWNER, BackendUser.LEASE, fencingToken)).isEqualTo(new RenewResult.NotHeld());
            assertThat(its.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.NotHeld());
            assertThat(its.acquire(OTHER)).isInstanceOf(AcquireResult.Granted.class);
        }
    }

    @Test
    void restoresALockAfterFlushall() {
        long fencingToken = user.granted(OWNER);
        redis.flushall();
        assertThat(user.renew(OWNER, BackendUser.LEASE, fencingToken)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(backend.state().toCompletableFuture().join().recovering())
                .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        assertThat(redis.get("lock:{order:42}")).endsWith(" " + OWNER.value());
        assertThat(user.acquire(OTHER)).isInstanceOf(AcquireResult.Contended.class);
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(user.acquire(OTHER)).isInstanceOfSatisfying(AcquireResult.Recovering.class, recovering -> assertThat(
                        recovering.retryAfter())
                .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30)));
    }

    @Test
    void doesNotRestoreALockAfterItsReleaseWasSent() {
        long fencingToken = user.granted(OWNER);
        redis.flushall();
        CompletionStage<RenewResult> renewed = renew(fencingToken);
        CompletionStage<ReleaseResult> released = release(fencingToken);
        assertThat(answer(renewed)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(answer(released)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(redis.exists("lock:{order:42}")).isZero();
    }

    /**
     * The server has lost the script of the renewal, and receives the script of the release with the release itself.
     */
    @Test
    void doesNotRestoreALockAfterItsReleaseWasSentWhenTheServerForgetsTheScripts() {
        long fencingToken = user.granted(OWNER);
        redis.flushall();
        assertThat(user.renew(OWNER, BackendUser.LEASE, fencingToken)).isInstanceOf(RenewResult.Renewed.class);
        redis.scriptFlush();

        REDIS.server().pause(); // so that both are sent before either is answered
        CompletionStage<RenewResult> renewed = renew(fencingToken);
        CompletionStage<ReleaseResult> released = release(fencingToken);
        REDIS.server().resume();
        assertThat(answer(released)).isEqualTo(new ReleaseResult.Released(0));
        RenewResult outcome = answer(renewed);
        assertThat(redis.exists("lock:{order:42}")).isZero();
        assertThat(outcome).isEqualTo(new RenewResult.Deferred(Duration.ZERO));
    }

    /** A task of the event loop writes the commands of a thread, and a release could be ahead of that task. */
    @Test
    void doesNotRestoreALockAfterAReleaseThatTheEventLoopSends() {
        long fencingToken = user.granted(OWNER);
        redis.flushall();
        List<CompletionStage<RenewResult>> renewed = new CopyOnWriteArrayList<>();
        CompletionStage<ReleaseResult> released = onEventLoop(() -> {
            CompletableFuture.runAsync(
                            () -> renewed.add(renew(fencingToken)), task -> new Thread(task, "watchdog").start())
                    .join();
            return release(fencingToken);
        });
        assertThat(answer(released)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(answer(renewed.get(0))).isInstanceOf(RenewResult.Renewed.class);
        assertThat(redis.exists("lock:{order:42}")).isZero();
    }

    @Test
    void doesNotSendARenewalAheadOfEarlierCommandsOfTheEventLoop() {
        long fencingToken = user.granted(OWNER);
        CompletionStage<RenewResult> renewed = onEventLoop(() -> {
            release(fencingToken);
            return renew(fencingToken);
        });
        assertThat(answer(renewed)).isEqualTo(new RenewResult.NotHeld());
    }

    private CompletionStage<RenewResult> renew(long fencingToken) {
        return backend.renewLeases(
                        List.of(new RenewCommand(BackendUser.KEY, OWNER, BackendUser.LEASE, fencingToken, 0)))
                .get(0);
    }

    private CompletionStage<ReleaseResult> release(long fencingToken) {
        return backend.releaseToken(new ReleaseCommand(BackendUser.KEY, OWNER, fencingToken));
    }

    private <T> CompletionStage<T> onEventLoop(Supplier<CompletionStage<T>> calls) {
        REDIS.server().pause(); // so that the answer arrives after the callback was added
        CompletionStage<T> called = backend.inspect(BackendUser.KEY, 0).thenCompose(stored -> {
            assertThat(ThreadExecutorMap.currentExecutor()).isNotNull();
            return calls.get();
        });
        REDIS.server().resume();
        return called;
    }

    @Test
    void defersARenewalToTheNextWhenTheServerHasForgottenTheScript() {
        long fencingToken = user.granted(OWNER);
        user.renew(OWNER, BackendUser.LEASE, fencingToken);
        redis.scriptFlush();
        assertThat(user.renew(OWNER, BackendUser.LEASE, fencingToken))
                .isEqualTo(new RenewResult.Deferred(Duration.ZERO));
        assertThat(user.renew(OWNER, BackendUser.LEASE, fencingToken)).isInstanceOf(RenewResult.Renewed.class);
    }

    private static String stored(LockToken token) {
        return "1795389832734445 " + token.value();
    }
}
