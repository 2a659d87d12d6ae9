package io.github.lockstarter.etcd;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import io.github.lockstarter.testing.Effort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Stored keys, and leftovers. */
class EtcdKeysIT extends EtcdScenario {

    @Test
    void notifiesTheHolderOfARevocationWhateverTheKey() {
        Application holder = newApplication(Application.settings(Duration.ofMinutes(10))); // not renewed meanwhile
        Application other = newApplication(Application.SETTINGS);
        LockHandle held = holder.locks().acquire("user:\uD800");

        assertThat(answer(other.admin().revoke("user:\uD800", held.fencingToken())))
                .isInstanceOf(Revocation.Revoked.class);

        await().until(() -> !held.isHeld());
    }

    /** As by an extension that got no answer and is executed between the two steps of the release. */
    @Test
    void keepsALockThatChangesDuringItsReleaseForItsMinimumHold() {
        LockToken token = newToken();
        AcquireResult.Granted granted =
                (AcquireResult.Granted) answer(connected().attemptAcquire(attempt(token)));
        AtomicInteger leases = new AtomicInteger();
        EtcdClient changing = mock(EtcdClient.class, delegatesTo(client));
        KeyValue stored = storedLock();
        TxnRequest change = TxnRequest.newBuilder()
                .addSuccess(Requests.put(stored.getKey(), stored.getValue(), stored.getLease()))
                .build();
        doAnswer(call -> {
                    CompletableFuture<?> before = leases.getAndIncrement() == 0
                            ? client.transact(change, deadline())
                            : CompletableFuture.completedFuture(null);
                    return before.thenCompose(done -> client.grantLease(call.getArgument(0), call.getArgument(1)));
                })
                .when(changing)
                .grantLease(any(), any());
        KeyNames names = new KeyNames(EtcdStore.PREFIX);
        LockReleaser releaser = new LockReleaser(
                changing, names, new Attempts(), new WaitingKeys(client, names, signalled -> {}), "etcd");

        ReleaseCommand keeping = new ReleaseCommand(
                key, token, granted.fencingToken(), ReleaseCommand.Wait.UNCHANGED, LEASE, Slots.ONLY);
        assertThat(answer(releaser.releaseKey(keeping, deadline()))).isInstanceOf(ReleaseResult.Kept.class);
        assertThat(leases).as("read again").hasValue(2);
    }

    /** A majority writes each proposal to disk. A member makes few by itself. */
    @Test
    void refusesABusyKeyAgainWithoutAProposal() {
        int attempts = 40;
        LockBackend holder = connected();
        LockBackend other = connected();
        for (int permits : new int[] {1, 2}) {
            assertThat(answer(holder.attemptAcquire(attempt(newToken(), permits))))
                    .isInstanceOf(AcquireResult.Granted.class);
            assertThat(answer(other.attemptAcquire(attempt(newToken(), permits))))
                    .isInstanceOf(AcquireResult.Contended.class);
            long before = proposals();
            long transactions = transactions();

            for (int i = 0; i < attempts; i++) {
                assertThat(answer(other.attemptAcquire(attempt(newToken(), permits))))
                        .isInstanceOf(AcquireResult.Contended.class);
            }

            assertThat(proposals() - before).as("%s permits", permits).isLessThan(attempts);
            if (permits == 1) { // old servers may end at a read in a transaction that is out of time
                assertThat(transactions() - transactions).isZero();
            }
        }
    }

    /** Ten thousand long keys would take much memory; with several permits, each attempt reads first. */
    @Test
    void remembersNoBusyKeyThatIsLongOrHasSeveralPermits() {
        LockBackend backend = connected();
        AcquireCommand ofLongKey = new AcquireCommand("k".repeat(257), newToken(), LEASE, 0, 1, Optional.empty());
        AcquireCommand again = new AcquireCommand("k".repeat(257), newToken(), LEASE, 0, 1, Optional.empty());
        assertThat(answer(backend.attemptAcquire(ofLongKey))).isInstanceOf(AcquireResult.Granted.class);
        assertThat(answer(backend.attemptAcquire(again))).isInstanceOf(AcquireResult.Contended.class);
        assertThat(answer(backend.attemptAcquire(attempt(newToken(), 1)))).isInstanceOf(AcquireResult.Granted.class);
        assertThat(answer(backend.attemptAcquire(attempt(newToken(), 2)))).isInstanceOf(AcquireResult.Granted.class);
        assertThat(answer(backend.attemptAcquire(attempt(newToken(), 2)))).isInstanceOf(AcquireResult.Contended.class);
        long before = transactions();

        assertThat(answer(backend.attemptAcquire(again))).isInstanceOf(AcquireResult.Contended.class);
        assertThat(answer(backend.attemptAcquire(attempt(newToken(), 1)))).isInstanceOf(AcquireResult.Contended.class);

        assertThat(transactions() - before).isEqualTo(2);
    }

    /** A read would delay each change of the owner. */
    @Test
    void acquiresASignalledKeyWithoutReadingItFirst() {
        SignalListener signals = mock();
        LockBackend holder = connected();
        LockBackend waiter = connected();
        waiter.listen("waiter", signals);
        LockToken token = newToken();
        assertThat(answer(holder.attemptAcquire(attempt(token)))).isInstanceOf(AcquireResult.Granted.class);
        assertThat(answer(waiter.attemptAcquire(attempt(newToken()).with(new Waiting(Waiting.NEW, LEASE)))))
                .isInstanceOf(AcquireResult.Contended.class);
        answer(holder.releaseToken(new ReleaseCommand(key, token, 0)));
        await().untilAsserted(() -> verify(signals).onSignal(key, 0));
        long before = transactions();

        assertThat(answer(waiter.attemptAcquire(attempt(newToken())))).isInstanceOf(AcquireResult.Granted.class);

        assertThat(transactions() - before).isOne();
    }

    private AcquireCommand attempt(LockToken token, int permits) {
        return new AcquireCommand(key, token, LEASE, 0, 1, Optional.empty(), Duration.ZERO, permits, Optional.empty());
    }

    private long proposals() {
        return count("etcd_server_proposals_committed_total");
    }

    private long transactions() {
        return count("grpc_server_started_total\\{grpc_method=\"Txn\",.*?\\}");
    }

    private long count(String metric) {
        Matcher count = Pattern.compile("(?m)^" + metric + " (\\S+)$").matcher(server.report("/metrics"));
        assertThat(count.find()).isTrue();
        return (long) Double.parseDouble(count.group(1));
    }

    @Test
    void leavesNothingBehindAfterManyKeys() throws Exception {
        Application holder = newApplication(Application.SETTINGS);
        Application other = newApplication(Application.SETTINGS);
        for (int i = 0; i < Effort.of(200, 1_000); i++) {
            try (LockHandle held = holder.locks().acquire(key + i)) {
                assertThat(i > 0 || leases().contains("\"ID\""))
                        .as("leases are listed")
                        .isTrue();
                assertThat(other.locks().tryAcquire(key + i)).isEmpty();
                assertThat(held.isHeld()).isTrue();
            }
        }

        await().untilAsserted(() -> {
            assertThat(keys()).isZero();
            assertThat(leases()).doesNotContain("\"ID\"");
        });
    }

    /** Lists leases through the gateway of etcd: jetcd has no such request. */
    private String leases() throws IOException, InterruptedException {
        HttpRequest list = HttpRequest.newBuilder(URI.create(server.endpoint() + "/v3/lease/leases"))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(list, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void grantsTokensAboveThoseOfAFormerEtcd() {
        LockBackend backend = connected();
        long floor = 5_000_000_000L;
        LockToken token = newToken();

        AcquireResult above =
                answer(backend.attemptAcquire(new AcquireCommand(key, token, LEASE, floor, 1024, Optional.empty())));

        long first = ((AcquireResult.Granted) above).fencingToken();
        assertThat(first).isGreaterThan(floor).isLessThan(floor + 1_000_000);
        assertThat(answer(backend.releaseToken(new ReleaseCommand(key, token, first + 1023))))
                .isEqualTo(new ReleaseResult.Released(0));
        AcquireResult next = answer(connected().attemptAcquire(attempt(newToken())));
        assertThat(((AcquireResult.Granted) next).fencingToken()).isGreaterThan(first + 1023);
    }

    @Test
    void refusesAFloorAboveAllTokens() {
        AcquireResult result = answer(connected()
                .attemptAcquire(new AcquireCommand(key, newToken(), LEASE, (1L << 53) - 5, 1, Optional.empty())));

        assertThat(result).isInstanceOf(AcquireResult.Rejected.class);
        assertThat(keys()).isZero();
    }

    @Test
    void rejectsAttemptsAtOnceWhenTheOffsetOfFencingTokensHasLeadingZeros() {
        ByteString offset = new KeyNames(EtcdStore.PREFIX).fencingOffset();
        answer(client.transact(
                TxnRequest.newBuilder()
                        .addSuccess(Requests.put(offset, ByteString.copyFromUtf8("007"), 0))
                        .build(),
                deadline()));

        AcquireResult result = answer(connected().attemptAcquire(attempt(newToken())));

        assertThat(result)
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains("lock:fence", "without leading zeros, not '007'"));
        assertThat(keys()).as("the offset").isOne();
    }
}
