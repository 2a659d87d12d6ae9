package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.redis.RedisSettings.FirstUse;
import io.github.lockstarter.redis.RedisSettings.OnHistoryChange;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import io.github.lockstarter.testing.RedisExtension;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisLockBackendIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final LockToken OWNER = token("a", 1);
    private static final LockToken OTHER = token("b", 1);

    private RedisCommands<String, String> redis;
    private RedisLockBackend backend;
    private BackendUser user;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        backend = backend();
        user = new BackendUser(backend);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void costsTwoNetworkReadsToAcquireAndRelease() {
        cycle(OWNER);
        assertThat(REDIS.server().readsDuring(() -> cycle(OTHER))).isEqualTo(2);
    }

    @Test
    void costsTwoNetworkReadsWithAMailboxToo() {
        backend.listen("b", new RecordedSignals());
        cycle(OWNER);
        assertThat(REDIS.server().readsDuring(() -> {
                    assertThat(user.waitFor(OTHER)).isInstanceOf(AcquireResult.Granted.class);
                    assertThat(user.release(OTHER, 0)).isEqualTo(new ReleaseResult.Released(0));
                }))
                .isEqualTo(2);
    }

    @Test
    void leavesNothingButTheFencingTokenAndTheMarkerBehind() {
        cycle(OWNER);
        assertThat(redis.keys("*")).containsExactlyInAnyOrder("lock:{order:42}:fence", "lock:history");
    }

    @Test
    void excludesOtherTokensUntilTheRelease() {
        long fencingToken = user.granted(OWNER);
        AcquireResult contended = user.acquire(OTHER);
        assertThat(contended).isInstanceOfSatisfying(AcquireResult.Contended.class, answer -> {
            assertThat(answer.remainingLease())
                    .hasValueSatisfying(rest -> assertThat(rest).isBetween(Duration.ofSeconds(28), BackendUser.LEASE));
            assertThat(answer.position()).isEqualTo(AcquireCommand.Waiting.NEW);
        });
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(user.granted(OTHER)).isGreaterThan(fencingToken);
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.NotHeld());
    }

    @Test
    void excludesForeignOwnersAndIsExcludedByThem() {
        user.granted(OWNER);
        assertThat(redis.set("lock:{order:42}", "foreign", SetArgs.Builder.nx().px(30_000)))
                .isNull();
        user.release(OWNER, 0);
        assertThat(redis.set("lock:{order:42}", "foreign", SetArgs.Builder.nx().px(30_000)))
                .isEqualTo("OK");
        assertThat(user.acquire(OWNER)).isInstanceOf(AcquireResult.Contended.class);
    }

    @Test
    void saysThatALockWithoutLeaseNeverEnds() {
        redis.set("lock:{order:42}", "foreign");
        assertThat(user.acquire(OWNER)).isEqualTo(new AcquireResult.Contended(Optional.empty(), 0));
    }

    @Test
    void renewsManyLocksEachWithItsOwnAnswer() {
        List<RenewCommand> commands = IntStream.range(0, 100)
                .mapToObj(i -> new RenewCommand("order:" + i, OWNER, Duration.ofMinutes(1), 0))
                .toList();
        commands.stream()
                .filter(command -> !command.key().endsWith("7"))
                .forEach(command -> answer(backend.acquire(
                        new AcquireCommand(command.key(), OWNER, BackendUser.LEASE, 0, 1, Optional.empty()))));
        List<CompletionStage<RenewResult>> stages = backend.renew(commands);
        assertThat(stages).hasSize(100);
        for (int i = 0; i < 100; i++) {
            RenewResult expected = i % 10 == 7 ? new RenewResult.NotHeld() : new RenewResult.Renewed();
            assertThat(answer(stages.get(i))).isEqualTo(expected);
        }
        assertThat(redis.pttl("lock:{order:1}")).isGreaterThan(50_000);
    }

    @Test
    void renewsUpToFiftyLocksWithOneCall() {
        user.renew(OWNER, BackendUser.LEASE);
        assertThat(callsToRenew(1)).isEqualTo(1);
        assertThat(callsToRenew(50)).isEqualTo(1);
        assertThat(callsToRenew(51)).isEqualTo(2);
        assertThat(callsToRenew(149)).isEqualTo(3);
    }

    private long callsToRenew(int locks) {
        redis.configResetstat();
        backend.renew(renewals(locks)).forEach(BackendUser::answer);
        String stats = REDIS.server().info("commandstats").getOrDefault("cmdstat_evalsha", "");
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }

    private static List<RenewCommand> renewals(int locks) {
        return IntStream.range(0, locks)
                .mapToObj(i -> new RenewCommand("order:" + i, OWNER, Duration.ofMinutes(1), 0))
                .toList();
    }

    @Test
    void renewsManyLocksEachWithItsOwnLease() {
        redis.psetex("lock:{order:0}", 5_000, OWNER.value());
        redis.psetex("lock:{order:1}", 5_000, OWNER.value());
        List<CompletionStage<RenewResult>> stages = backend.renew(List.of(
                new RenewCommand("order:0", OWNER, Duration.ofSeconds(10), 0),
                new RenewCommand("order:1", OWNER, Duration.ofSeconds(20), 0)));
        assertThat(stages).extracting(BackendUser::answer).containsOnly(new RenewResult.Renewed());
        assertThat(redis.pttl("lock:{order:0}")).isBetween(8_000L, 10_000L);
        assertThat(redis.pttl("lock:{order:1}")).isBetween(18_000L, 20_000L);
    }

    @Test
    void aKeyOfAnotherTypeIsNoMatterOfTheLocksBesideIt() {
        redis.psetex("lock:{order:0}", 5_000, OWNER.value());
        redis.lpush("lock:{order:1}", "x");
        redis.psetex("lock:{order:2}", 5_000, OWNER.value());
        assertThat(backend.renew(renewals(3)))
                .extracting(BackendUser::answer)
                .containsExactly(new RenewResult.Renewed(), new RenewResult.NotHeld(), new RenewResult.Renewed());
    }

    @Test
    void doesNotKnowTheOutcomeOnlyWhereTheServerRefuses() {
        redis.psetex("lock:{order:0}", 5_000, OWNER.value());
        redis.psetex("lock:{order:1}", 90_000, OWNER.value());
        user.renew(OWNER, BackendUser.LEASE);
        REDIS.server().grantDefaultUser("-pexpire");
        List<CompletionStage<RenewResult>> stages = backend.renew(renewals(3));
        assertThat(answer(stages.get(0)))
                .isInstanceOfSatisfying(RenewResult.Unknown.class, unknown -> assertThat(unknown.reason())
                        .contains("can't run this command", "ACL SETUSER"));
        assertThat(answer(stages.get(1))).isEqualTo(new RenewResult.Renewed());
        assertThat(answer(stages.get(2))).isEqualTo(new RenewResult.NotHeld());
    }

    @Test
    void renewsManyLocksWhenTheServerForgetsTheScripts() {
        List<RenewCommand> commands = renewals(120);
        commands.forEach(command -> redis.psetex("lock:{" + command.key() + "}", 5_000, OWNER.value()));
        user.renew(OWNER, BackendUser.LEASE);
        redis.scriptFlush();
        assertThat(backend.renew(commands)).extracting(BackendUser::answer).containsOnly(new RenewResult.Renewed());
    }

    @Test
    void renewsNothingWhenThereIsNothing() {
        assertThat(backend.renew(List.of())).isEmpty();
    }

    @Test
    void worksOnWhenTheServerForgetsTheScripts() {
        long fencingToken = user.granted(OWNER);
        redis.scriptFlush();
        assertThat(user.renew(OWNER, BackendUser.LEASE)).isEqualTo(new RenewResult.Renewed());
        redis.scriptFlush();
        assertThat(user.acquire(OTHER)).isInstanceOf(AcquireResult.Contended.class);
        redis.scriptFlush();
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.Released(0));
        redis.scriptFlush();
        assertThat(user.withdraw(OWNER)).isEqualTo(new WithdrawResult.Withdrawn());
    }

    @Test
    void keepsTheOrderOfCommandsThatComeBeforeItIsConnected() {
        List<LockToken> tokens =
                IntStream.range(1, 200).mapToObj(i -> token("a", i)).toList();
        List<CompletionStage<AcquireResult>> acquired = new ArrayList<>();
        for (LockToken token : tokens) {
            acquired.add(backend.acquire(
                    new AcquireCommand(BackendUser.KEY, token, BackendUser.LEASE, 0, 1, Optional.empty())));
            backend.release(new ReleaseCommand(BackendUser.KEY, token, 0));
        }
        long last = 0;
        for (CompletionStage<AcquireResult> stage : acquired) {
            AcquireResult result = answer(stage);
            assertThat(result).isInstanceOf(AcquireResult.Granted.class);
            long fencingToken = ((AcquireResult.Granted) result).fencingToken();
            assertThat(fencingToken).isGreaterThan(last);
            last = fencingToken;
        }
    }

    @Test
    void tellsThatALockIsGoneAfterFlushallWhereNothingGuardsIt() {
        RedisSettings unguarded = new RedisSettings(
                "lock:",
                Duration.ofSeconds(2),
                new RedisSettings.Guard(OnHistoryChange.NONE, FirstUse.GRANT, Duration.ofSeconds(30), Duration.ZERO));
        try (RedisLockBackend other = backend(unguarded)) {
            BackendUser its = new BackendUser(other);
            long fencingToken = its.granted(OWNER);
            redis.flushall();
            assertThat(its.renew(OWNER, BackendUser.LEASE, fencingToken)).isEqualTo(new RenewResult.NotHeld());
            assertThat(its.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.NotHeld());
            assertThat(its.acquire(OTHER)).isInstanceOf(AcquireResult.Granted.class);
            assertThat(redis.exists("lock:history")).isZero();
        }
    }

    @Test
    void bringsALockBackThatFlushallTookAway() {
        long fencingToken = user.granted(OWNER);
        redis.flushall();
        assertThat(user.renew(OWNER, BackendUser.LEASE, fencingToken))
                .isEqualTo(new RenewResult.Deferred(Duration.ZERO));
        assertThat(redis.exists("lock:{order:42}")).isZero();
        assertThat(backend.history().recovering()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));

        assertThat(user.renew(OWNER, BackendUser.LEASE, fencingToken)).isEqualTo(new RenewResult.Renewed());
        assertThat(redis.get("lock:{order:42}")).isEqualTo(OWNER.value());
        assertThat(user.acquire(OTHER)).isInstanceOf(AcquireResult.Contended.class);
        assertThat(user.release(OWNER, fencingToken)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(user.acquire(OTHER)).isInstanceOfSatisfying(AcquireResult.Recovering.class, recovering -> assertThat(
                        recovering.retryAfter())
                .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30)));
    }

    @Test
    void bringsNoLockBackAfterItsReleaseWasSent() {
        long fencingToken = user.granted(OWNER);
        redis.flushall();
        CompletionStage<RenewResult> renewed = backend.renew(
                        List.of(new RenewCommand(BackendUser.KEY, OWNER, BackendUser.LEASE, fencingToken)))
                .get(0);
        CompletionStage<ReleaseResult> released =
                backend.release(new ReleaseCommand(BackendUser.KEY, OWNER, fencingToken));
        answer(renewed);
        assertThat(answer(released)).isEqualTo(new ReleaseResult.NotHeld());
        assertThat(redis.exists("lock:{order:42}")).isZero();
    }

    @Test
    void bringsBackEachOfManyLocks() {
        List<RenewCommand> held = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            LockToken token = token("a", 100 + i);
            AcquireCommand command = new AcquireCommand("many:" + i, token, BackendUser.LEASE, 0, 1, Optional.empty());
            AcquireResult.Granted granted = (AcquireResult.Granted) answer(backend.acquire(command));
            held.add(new RenewCommand("many:" + i, token, BackendUser.LEASE, granted.fencingToken()));
        }
        redis.flushall();
        backend.renew(held).forEach(stage -> assertThat(answer(stage)).isInstanceOf(RenewResult.Deferred.class));
        backend.renew(held).forEach(stage -> assertThat(answer(stage)).isEqualTo(new RenewResult.Renewed()));
        assertThat(redis.keys("lock:{many:*}")).hasSize(60);
    }

    @Test
    void namesTheKeyThatHoldsAnotherType() {
        redis.hset("lock:{order:42}", "field", "value");
        assertThat(user.acquire(OWNER))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("'lock:{order:42}' holds another type")
                        .contains("delete it or choose another distributed-lock.key-prefix"));
        assertThat(user.renew(OWNER, BackendUser.LEASE)).isEqualTo(new RenewResult.NotHeld());
        assertThat(user.release(OWNER, 1)).isEqualTo(new ReleaseResult.NotHeld());
        assertThat(user.withdraw(OWNER)).isEqualTo(new WithdrawResult.Withdrawn());
    }

    @Test
    void namesTheCounterThatHoldsAnotherType() {
        redis.lpush("lock:{order:42}:fence", "x");
        assertThat(user.acquire(OWNER))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("'lock:{order:42}:fence'"));
        assertThat(redis.exists("lock:{order:42}")).isZero();
    }

    @Test
    void saysWhatToChangeWhenTheServerIsFull() {
        redis.configSet("maxmemory", "1");
        try {
            assertThat(user.acquire(OWNER))
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .contains("OOM", "maxmemory"));
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    @Test
    void saysWhatToChangeOnAReplica() {
        redis.replicaof("127.0.0.1", 1);
        try {
            assertThat(user.acquire(OWNER))
                    .isInstanceOfSatisfying(AcquireResult.Unavailable.class, passing -> assertThat(passing.reason())
                            .contains("replica", "spring.data.redis.host"));
        } finally {
            redis.replicaofNoOne();
        }
    }

    @Test
    void signalsTheInstanceThatWaitsLongestAndOnlyIt() {
        RecordedSignals second = new RecordedSignals();
        RecordedSignals third = new RecordedSignals();
        try (RedisLockBackend b = backend();
                RedisLockBackend c = backend()) {
            b.listen("b", second);
            c.listen("c", third);
            user.granted(OWNER);
            new BackendUser(b).waitFor(token("b", 1));
            new BackendUser(c).waitFor(token("c", 1));
            user.release(OWNER, 0);
            Awaitility.await().untilAsserted(() -> assertThat(second.keys()).containsExactly("order:42"));
            new BackendUser(b).withdraw(token("b", 1));
            Awaitility.await().untilAsserted(() -> assertThat(third.keys()).containsExactly("order:42"));
            assertThat(second.keys()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b}c", "100%", "line\nbreak", "grö😀ße", "\uD800broken", " ", "", "%!order:42", "!"})
    void namesTheKeyAsItWasGivenToWhoWaitsAndToTheOwner(String key) {
        signalsKey(key);
    }

    @Test
    void signalsAHashedKeyAsItWasGiven() {
        signalsKey("x".repeat(10_240));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 10_240})
    void namesTheKeyAsItWasGivenToWhomAWithdrawalOrARequeuingReleasePassesTheLockOn(int length) {
        String key = "x".repeat(length);
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        Waiting atTheEnd = new Waiting(Waiting.NEW, BackendUser.LEASE);
        answer(backend.acquire(new AcquireCommand(key, OWNER, BackendUser.LEASE, 0, 1, Optional.empty())));
        long position = position(key, atTheEnd);
        answer(backend.withdraw(new WithdrawCommand(key, OWNER)));
        Awaitility.await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(key));

        LockToken owner = token("a", 2);
        answer(backend.acquire(new AcquireCommand(key, owner, BackendUser.LEASE, 0, 1, Optional.empty())));
        assertThat(position(key, new Waiting(position, BackendUser.LEASE))).isEqualTo(position);
        assertThat(answer(backend.release(new ReleaseCommand(key, owner, 0, Optional.of(BackendUser.LEASE)))))
                .isEqualTo(new ReleaseResult.Released(1));
        Awaitility.await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(key, key));
        assertThat(redis.zrange(new KeySpace("lock:").keysOf(key).waiters(), 0, -1))
                .containsExactly("a");
    }

    private long position(String key, Waiting waiting) {
        AcquireResult result =
                answer(backend.acquire(new AcquireCommand(key, OTHER, BackendUser.LEASE, 0, 1, Optional.of(waiting))));
        assertThat(result).isInstanceOf(AcquireResult.Contended.class);
        return ((AcquireResult.Contended) result).position();
    }

    @Test
    void ignoresMessagesThatAreNoSignals() {
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        user.granted(OWNER);
        redis.publish("lock:mailbox:b", "%nonsense");
        redis.publish("lock:mailbox:b", "%!");
        redis.publish("lock:mailbox:b", "%!%nonsense");
        redis.publish("lock:mailbox:b", "order:42");
        Awaitility.await().untilAsserted(() -> assertThat(signals.keys()).containsExactly("order:42"));
        assertThat(signals.wanted()).isEmpty();
    }

    @Test
    void listensBeforeItsFirstCommandEvenIfItWasConnectedBefore() {
        backend.start();
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        assertThat(user.waitFor(OTHER)).isInstanceOf(AcquireResult.Granted.class);
        assertThat(redis.publish("lock:mailbox:b", "order:42")).isEqualTo(1);
    }

    @Test
    void hasOneListener() {
        backend.listen("b", new RecordedSignals());
        assertThatIllegalStateException().isThrownBy(() -> backend.listen("c", new RecordedSignals()));
    }

    @Test
    void startsWithoutLeavingKeys() {
        backend.start();
        assertThat(redis.keys("*")).isEmpty();
    }

    @Test
    void triesAtTheStartWhatServersBeforeSixCannot() throws IOException {
        try (Socket monitor = new Socket(REDIS.server().host(), REDIS.server().port())) {
            monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(monitor.getInputStream(), StandardCharsets.UTF_8));
            assertThat(lines.readLine()).isEqualTo("+OK");
            backend.start();
            redis.echo("end");
            assertThat(lines.lines().takeWhile(line -> !line.contains("\"end\"")))
                    .anyMatch(line -> line.contains("lua] \"SET\"") && line.endsWith("\"KEEPTTL\""));
        }
    }

    @Test
    void connectsAgainAfterAStop() {
        backend.listen("b", new RecordedSignals());
        user.granted(OWNER);
        backend.stop();
        backend.start();
        assertThat(user.release(OWNER, 0)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(redis.publish("lock:mailbox:b", "order:42")).isEqualTo(1);
    }

    @Test
    void refusesEverythingOnceClosed() {
        user.granted(OWNER);
        backend.close();
        backend.close();
        assertThat(user.acquire(OTHER))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("closed"));
        assertThat(user.release(OWNER, 0)).isInstanceOf(ReleaseResult.Unknown.class);
        assertThat(user.renew(OWNER, BackendUser.LEASE)).isInstanceOf(RenewResult.Unknown.class);
        assertThat(user.withdraw(OWNER)).isInstanceOf(WithdrawResult.Unknown.class);
    }

    private void signalsKey(String key) {
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        Optional<AcquireCommand.Waiting> waiting =
                Optional.of(new AcquireCommand.Waiting(AcquireCommand.Waiting.NEW, BackendUser.LEASE));
        LockToken owner = token("0123456789abcdef0123456789abcdef", 1);
        RecordedSignals ownersSignals = new RecordedSignals();
        try (RedisLockBackend ownersBackend = backend()) {
            ownersBackend.listen(owner.instanceId(), ownersSignals);
            answer(ownersBackend.acquire(new AcquireCommand(key, owner, BackendUser.LEASE, 0, 1, Optional.empty())));
            assertThat(answer(backend.acquire(new AcquireCommand(key, OTHER, BackendUser.LEASE, 0, 1, waiting))))
                    .isInstanceOf(AcquireResult.Contended.class);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(ownersSignals.wanted()).containsExactly(key));
            assertThat(answer(ownersBackend.release(new ReleaseCommand(key, owner, 0))))
                    .isEqualTo(new ReleaseResult.Released(1));
        }
        Awaitility.await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(key));
        assertThat(ownersSignals.keys()).isEmpty();
        assertThat(signals.wanted()).isEmpty();
    }

    private void cycle(LockToken token) {
        assertThat(user.release(token, user.granted(token))).isEqualTo(new ReleaseResult.Released(0));
    }

    private static RedisLockBackend backend() {
        return backend(RedisSettings.DEFAULTS);
    }

    private static RedisLockBackend backend(RedisSettings settings) {
        return new RedisLockBackend(new DirectRedisConnector(REDIS.server().uri(), settings), settings);
    }
}
