package io.github.lockstarter.etcd;

import static io.github.lockstarter.kit.Patience.answer;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.WarmUp;
import io.grpc.Deadline;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An etcd that is paused, killed or restarted, or whose leases are revoked externally. */
class EtcdFaultsIT extends EtcdScenario {

    private static final Duration LONG_LEASE = ofMinutes(2);

    @Test
    void losesALockWhoseEtcdLeaseIsRevoked() {
        Application holder = newApplication(Application.settings(ofSeconds(9))); // renewed after a third of it
        Application heir = newApplication(Application.settings(LEASE));
        LockHandle held = holder.locks().acquire(key);

        answer(client.revokeLease(storedLock().getLease(), deadline()));

        try (LockHandle next = heir.locks().acquire(key)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
            await().until(() -> !held.isHeld());
        }
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }

    @Test
    void theLeaseOfARepeatedAttemptCountsFromItsOwnSending() {
        LockBackend backend = connected();
        LockToken token = newToken();
        AcquireResult first = answer(backend.attemptAcquire(attempt(token)));
        long lease = storedLock().getLease();
        Duration before = LEASE.minusSeconds(3);
        await().until(() -> answer(client.remaining(lease, deadline())).compareTo(before) < 0);

        await().untilAsserted(() -> {
            assertThat(answer(backend.attemptAcquire(attempt(token)))).isEqualTo(first);
            assertThat(answer(client.remaining(storedLock().getLease(), deadline())))
                    .isGreaterThan(before);
        });
    }

    @Test
    void losesALockWhoseKeyIsDeletedWhileItsLeaseLasts() {
        LockBackend backend = connected();
        LockToken token = newToken();
        AcquireResult.Granted granted = (AcquireResult.Granted) answer(backend.attemptAcquire(attempt(token)));

        DeleteRangeRequest deletion =
                DeleteRangeRequest.newBuilder().setKey(storedLock().getKey()).build();
        answer(client.transact(
                TxnRequest.newBuilder()
                        .addSuccess(RequestOp.newBuilder().setRequestDeleteRange(deletion))
                        .build(),
                deadline()));

        assertThat(renewed(backend, token, granted.fencingToken())).isInstanceOf(RenewResult.NotHeld.class);
    }

    @Test
    void answersWithinTheCommandTimeoutWhileTheServerIsPausedAndFreesTheLockAfterwards() {
        LockBackend backend = connected(hasty());
        LockToken token = newToken();
        AcquireResult.Granted granted =
                (AcquireResult.Granted) answer(connected().attemptAcquire(attempt(token)));
        ReleaseCommand release = new ReleaseCommand(key, token, granted.fencingToken());

        server.pause();
        CompletableFuture<AcquireResult> acquired =
                backend.attemptAcquire(attempt(newToken())).toCompletableFuture();
        CompletableFuture<RenewResult> renewed = backend.renewLeases(
                        List.of(new RenewCommand(key, token, LEASE, granted.fencingToken(), 0)))
                .get(0)
                .toCompletableFuture();
        CompletableFuture<ReleaseResult> released =
                backend.releaseToken(release).toCompletableFuture();
        CompletableFuture<ReleaseResult> withdrawn =
                backend.releaseToken(ReleaseCommand.endOfWait(key, newToken())).toCompletableFuture();

        assertThat(answer(acquired)).isInstanceOf(AcquireResult.Rejected.class);
        assertThat(answer(renewed)).isInstanceOf(RenewResult.Unknown.class);
        assertThat(answer(released)).isInstanceOf(ReleaseResult.Unknown.class);
        assertThat(answer(withdrawn)).isInstanceOf(ReleaseResult.Unknown.class);

        server.resume();
        await().untilAsserted(() -> assertThat(answer(backend.releaseToken(release)))
                .isInstanceOfAny(ReleaseResult.Released.class, ReleaseResult.NotHeld.class));
        assertThat(answer(connected().attemptAcquire(attempt(newToken())))).isInstanceOf(AcquireResult.Granted.class);
    }

    private LockBackend hasty() {
        return store.connect(HASTY);
    }

    @Test
    void worksAgainAfterAServerThatHungIsReplacedBehindItsAddress() {
        try (TcpProxy proxy = TcpProxy.before(server);
                EtcdLockBackend backend = new EtcdLockBackend(EtcdStore.settings("http://" + proxy.address(), HASTY));
                Application application = over(backend)) {
            LockHandle held = acquiredSometime(application);

            proxy.hang();
            proxy.cut(); // the client connects again, to a server that accepts connections and says nothing
            await().untilAsserted(() -> {
                assertThat(answer(backend.attemptAcquire(attempt(newToken()))))
                        .isInstanceOf(AcquireResult.Rejected.class);
                assertThat(proxy.connections()).isPositive();
            });
            proxy.replace();

            await().untilAsserted(() -> assertThat(answer(backend.attemptAcquire(attempt(newToken()))))
                    .isInstanceOf(AcquireResult.Contended.class));
            await().until(() -> held.release() == ReleaseOutcome.RELEASED);
        }
    }

    /** A ping would find out after 12 s, or six attempts; a pause of this process costs one of them. */
    @Test
    void leavesAConnectionThatAFirewallForgotWithTheFirstRequestWithoutAnAnswer() {
        try (TcpProxy proxy = TcpProxy.before(server);
                EtcdLockBackend backend =
                        new EtcdLockBackend(EtcdStore.settings("http://" + proxy.address(), ofSeconds(2)));
                Application application = over(backend);
                LockHandle held = acquiredSometime(application)) {
            proxy.forget();

            List<AcquireResult> answers = Stream.generate(() -> answer(backend.attemptAcquire(attempt(newToken()))))
                    .limit(4)
                    .toList();

            assertThat(answers.get(0)).isInstanceOf(AcquireResult.Rejected.class);
            assertThat(answers).hasAtLeastOneElementOfType(AcquireResult.Contended.class);
            assertThat(held.isHeld()).isTrue();
        }
    }

    private LockHandle acquiredSometime(Application application) {
        return await().ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> application.locks().acquire(key), acquired -> true);
    }

    private Application over(LockBackend backend) {
        Application application = Application.over(backend, Application.settings(LONG_LEASE));
        WarmUp.connect(application.locks(), key + ":warm-up");
        return application;
    }

    @Test
    void refusesAnAttemptThatArrivesAfterItsLeaseWasRevoked() {
        long lease = answer(client.grantLease(LEASE, deadline())).getID();
        assertThat(answer(client.revokeLease(lease, deadline()))).isTrue();

        CompletableFuture<?> late = client.transact(
                TxnRequest.newBuilder()
                        .addSuccess(Requests.put(ByteString.copyFromUtf8("late"), ByteString.EMPTY, lease))
                        .build(),
                deadline());

        assertThatThrownBy(() -> late.get(Patience.SECONDS, TimeUnit.SECONDS)).hasMessageContaining("lease not found");
        assertThat(answer(client.revokeLease(lease, deadline()))).isFalse();
    }

    @Test
    void keepsLocksThroughARestartOfTheServer() {
        Application holder = newApplication(Application.settings(LEASE));
        Application other = newApplication(Application.settings(LEASE));
        LockHandle held = holder.locks().acquire(key);

        server.kill();
        server.restart();

        await().ignoreExceptions().untilAsserted(() -> assertThat(other.locks().tryAcquire(LockRequest.of(key)))
                .isEmpty());
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        try (LockHandle next = other.locks().acquire(key)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void wakesAWaiterAfterARestartOfTheServer() {
        Application holder = newApplication(Application.settings(LEASE));
        Application waiter = newApplication(Application.settingsThatTrustSignals());
        LockHandle held = holder.locks().acquire(key);
        CompletableFuture<Long> waiting = acquireElsewhere(waiter, Patience.TIME);
        await().until(() -> keys() >= 2);

        server.kill();
        server.restart();
        await().until(() -> held.release() == ReleaseOutcome.RELEASED);

        assertThat(answer(waiting)).isGreaterThan(held.fencingToken());
    }

    @Test
    void wakesAWaiterOfAnotherInstanceByAReleaseAndByTheEndOfALease() {
        Application holder = newApplication(Application.settings(LEASE));
        Application waiter = newApplication(Application.settingsThatTrustSignals());
        for (boolean withRelease : new boolean[] {true, false}) {
            LockHandle held = holder.locks().acquire(key);
            CompletableFuture<Long> waiting = acquireElsewhere(waiter, Patience.TIME);
            await().until(() -> keys() >= 2);
            if (withRelease) {
                held.release();
            } else {
                answer(client.revokeLease(storedLock().getLease(), deadline()));
            }
            assertThat(waiting).succeedsWithin(Patience.TIME).satisfies(token -> assertThat(token)
                    .isGreaterThan(held.fencingToken()));
        }
    }

    private CompletableFuture<Long> acquireElsewhere(Application application, Duration wait) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (LockHandle lock =
                            application.locks().acquire(LockRequest.of(key).maxWait(wait))) {
                        return lock.fencingToken();
                    }
                },
                task -> new Thread(task, "waiter").start());
    }

    private RenewResult renewed(LockBackend backend, LockToken token, long fencingToken) {
        return answer(backend.renewLeases(List.of(new RenewCommand(key, token, LEASE, fencingToken, 0)))
                .get(0));
    }

    @Test
    void reportsAnOutageAndItsEnd() {
        LockBackend backend = connected(hasty());
        server.kill();

        // The first attempt may be under way when its connection breaks.
        assertThat(answer(backend.attemptAcquire(attempt(newToken()))))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("did not answer", server.endpoint().substring("http://".length())));
        assertThat(answer(backend.state()).failure()).isPresent();

        server.restart();
        await().untilAsserted(
                        () -> assertThat(answer(backend.state()).failure()).isEmpty());
    }

    @Test
    void aRequestSentTooLateIsNoFailureOfTheMember() {
        List<URI> endpoints = List.of(EtcdSettings.endpoint(server.endpoint()), URI.create("http://127.0.0.1:9"));
        EtcdSettings settings =
                new EtcdSettings(EtcdStore.PREFIX, endpoints, Optional.empty(), Optional.empty(), HASTY);
        try (EtcdClient late = new EtcdClient(settings, Runnable::run)) {
            int member = late.member().number();
            for (int i = 0; i < 3; i++) {
                CompletableFuture<?> read =
                        late.read(ByteString.copyFromUtf8("any"), Deadline.after(0, TimeUnit.NANOSECONDS));
                assertThat(read).failsWithin(Patience.TIME);
            }

            assertThat(late.member().number()).isEqualTo(member);
        }
    }
}
