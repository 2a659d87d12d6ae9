package io.github.lockstarter.zookeeper;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.ReleaseResult.FoundFree;
import io.github.lockstarter.spi.ReleaseResult.Released;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import io.github.lockstarter.zookeeper.KeptAnswers.Kind;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The node with which an instance waits. */
@Timeout(300)
class OwnNodesIT {

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final int OK = Code.OK.intValue();

    private final String key = "own-nodes:" + UUID.randomUUID();
    private final String server = ZooKeeperServers.shared().address();
    private final KeptAnswers answers = new KeptAnswers();
    private final CuratorFramework client = answers.client(server);
    private final ZooKeeperLockBackend a = ZooKeeperClients.backend(server, ZooKeeperClients.SESSION);
    private final ZooKeeperLockBackend b = new ZooKeeperLockBackend(
            client,
            new ZooKeeperLockSettings(
                    "/test/locks", "lock:", ZooKeeperClients.COMMAND_TIMEOUT, ZooKeeperClients.SESSION),
            client::close);
    private final ZooKeeperLockBackend c = ZooKeeperClients.backend(server, ZooKeeperClients.SESSION);

    private final LockToken ofA = new LockToken("a", 1);
    private final LockToken ofB = new LockToken("b", 1);
    private final LockToken ofC = new LockToken("c", 1);
    private final BlockingQueue<String> signals = new LinkedBlockingQueue<>();

    OwnNodesIT() {
        assertThat(b.connect(Patience.TIME)).isEmpty();
        b.listen("b", new Signals());
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        c.close();
    }

    /** It is signalled, and pauses before its attempt; an operator revokes the lock meanwhile. */
    @Test
    void theFirstWaiterIsNotGrantedARevokedLock() throws InterruptedException {
        Granted granted = (Granted) acquire(a, ofA);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);
        assertThat(acquire(c, ofC)).isInstanceOf(Contended.class);
        answer(a.releaseToken(new ReleaseCommand(key, ofA, granted.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);

        assertThat(answer(c.revoke(key, 0, held().fencingToken()))).isInstanceOf(Revocation.Revoked.class);

        assertThat(acquire(c, ofC)).isInstanceOf(Granted.class);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);
    }

    @Test
    void aWaiterWhoseSessionIsReplacedQueuesBehindTheOthers() throws Exception {
        Granted granted = (Granted) acquire(a, ofA);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);
        assertThat(acquire(c, ofC)).isInstanceOf(Contended.class);
        answer(a.releaseToken(new ReleaseCommand(key, ofA, granted.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);

        answers.keep(Kind.WRITE);
        CompletableFuture<AcquireResult> attempt = attempt(b, ofB).toCompletableFuture();
        IntConsumer written = answers.kept();
        long session = client.getZookeeperClient().getZooKeeper().getSessionId();
        client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
        await().until(() -> client.getZookeeperClient().isConnected()
                && client.getZookeeperClient().getZooKeeper().getSessionId() != session);
        written.accept(OK);

        assertThat(attempt.join()).isInstanceOf(Contended.class);
        assertThat(acquire(c, ofC)).isInstanceOf(Granted.class);
    }

    @Test
    void aWaiterIsSignalledAndKeepsWaitingWhenTheOneBeforeLeaves() throws InterruptedException {
        Granted granted = (Granted) acquire(a, ofA);
        assertThat(acquire(c, ofC)).isInstanceOf(Contended.class);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);

        answer(c.releaseToken(ReleaseCommand.endOfWait(key, ofC)));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);

        answer(a.releaseToken(new ReleaseCommand(key, ofA, granted.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        assertThat(acquire(b, ofB)).isInstanceOf(Granted.class);
    }

    /** The watch of an earlier wait behind the same node still exists. */
    @Test
    void aWaiterThatWaitsAgainIsSignalledOnce() throws InterruptedException {
        Granted granted = (Granted) acquire(a, ofA);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);
        answer(b.releaseToken(ReleaseCommand.endOfWait(key, ofB)));
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);

        answer(a.releaseToken(new ReleaseCommand(key, ofA, granted.fencingToken())));

        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        assertThat(acquire(b, ofB)).isInstanceOf(Granted.class);
        assertThat(signals).isEmpty();
    }

    @Test
    void aWaitThatWasGivenUpIsNotSignalled() throws InterruptedException {
        Granted granted = (Granted) acquire(a, ofA);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);
        answer(b.releaseToken(ReleaseCommand.endOfWait(key, ofB)));

        answer(a.releaseToken(new ReleaseCommand(key, ofA, granted.fencingToken())));

        assertThat(signals.poll(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void aWaiterBehindOneThatItsReleaseDidNotKnowWaitsForThatOne() throws InterruptedException {
        Granted first = (Granted) acquire(a, ofA);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);
        assertThat(acquire(c, ofC)).isInstanceOf(Contended.class);
        answer(a.releaseToken(new ReleaseCommand(key, ofA, first.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        Granted known = (Granted) acquire(b, ofB); // with C behind
        assertThat(acquire(a, ofA)).isInstanceOf(Contended.class);

        assertThat(answer(b.releaseToken(rejoining(known)))).isEqualTo(new Released(1));
        Granted second = (Granted) acquire(c, ofC);
        answer(c.releaseToken(new ReleaseCommand(key, ofC, second.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        LockToken next = new LockToken("b", 2);
        assertThat(acquire(b, next)).isInstanceOf(Contended.class);

        Granted third = (Granted) acquire(a, ofA);
        answer(a.releaseToken(new ReleaseCommand(key, ofA, third.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        assertThat(acquire(b, next)).isInstanceOf(Granted.class);
    }

    @Test
    void aWaiterBehindOneThatLeftBeforeTheReleaseIsSignalled() throws InterruptedException {
        Granted first = (Granted) acquire(a, ofA);
        assertThat(acquire(b, ofB)).isInstanceOf(Contended.class);
        assertThat(acquire(c, ofC)).isInstanceOf(Contended.class);
        answer(a.releaseToken(new ReleaseCommand(key, ofA, first.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        Granted known = (Granted) acquire(b, ofB); // with C behind
        answer(c.releaseToken(ReleaseCommand.endOfWait(key, ofC)));

        answer(b.releaseToken(rejoining(known)));

        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        assertThat(acquire(b, new LockToken("b", 2))).isInstanceOf(Granted.class);
    }

    @Test
    void aReleaseThatIsSentTwiceWaitsOnce() throws InterruptedException {
        CompletionStage<ReleaseResult> release = releaseBeforeC();

        answers.kept().accept(Code.CONNECTIONLOSS.intValue());

        assertThat(answer(release)).isEqualTo(new Released(1));
        assertThat(held().waitingInstances()).isEqualTo(1);
        Granted next = (Granted) acquire(c, ofC);
        answer(c.releaseToken(new ReleaseCommand(key, ofC, next.fencingToken())));
        assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(key);
        assertThat(acquire(b, new LockToken("b", 2))).isInstanceOf(Granted.class);
    }

    @Test
    void leavesTheQueueOfAnUnansweredReleaseAtTheEndOfTheWait() throws InterruptedException {
        releaseBeforeC();
        IntConsumer replaced = answers.kept();
        assertThat(held().waitingInstances()).isEqualTo(1);

        answers.refusedDeletions.set(3); // the client repeats a deletion once
        answer(b.releaseToken(ReleaseCommand.endOfWait(key, new LockToken("b", 2))));

        await().untilAsserted(() -> assertThat(held().waitingInstances()).isZero());
        replaced.accept(OK);
        Granted next = (Granted) acquire(c, ofC);
        answer(c.releaseToken(new ReleaseCommand(key, ofC, next.fencingToken())));
        assertThat(answer(c.inspect(key, 0))).isInstanceOf(StoredLock.Free.class);
        assertThat(signals.poll(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS)).isNull(); // it does not wait any more
    }

    @Test
    void aRepeatedReleaseLeavesTheQueueThatTheFirstOneJoined() throws InterruptedException {
        releaseBeforeC();
        answers.kept(); // and is never answered
        assertThat(held().waitingInstances()).isEqualTo(1);

        assertThat(answer(b.releaseToken(new ReleaseCommand(key, ofB, 1)))).isInstanceOf(FoundFree.class);

        await().untilAsserted(() -> assertThat(held().waitingInstances()).isZero());
    }

    @Test
    void theReleaseOfARevokedLockDoesNotWait() {
        Granted granted = (Granted) acquire(b, ofB);
        assertThat(acquire(c, ofC)).isInstanceOf(Contended.class);

        answer(a.revoke(key, 0, granted.fencingToken()));

        assertThat(answer(b.releaseToken(rejoining(granted)))).isNotInstanceOf(Released.class);
        assertThat(held().waitingInstances()).isZero();
    }

    /** B has the lock, C waits, and B's release is executed, but its answer is kept. */
    private CompletionStage<ReleaseResult> releaseBeforeC() throws InterruptedException {
        Granted granted = (Granted) acquire(b, ofB);
        assertThat(acquire(c, ofC)).isInstanceOf(Contended.class);
        answers.keep(Kind.REPLACEMENT);
        CompletionStage<ReleaseResult> release = b.releaseToken(rejoining(granted));
        await().untilAsserted(() -> assertThat(held().fencingToken()).isGreaterThan(granted.fencingToken()));
        return release;
    }

    private ReleaseCommand rejoining(Granted granted) {
        return new ReleaseCommand(key, ofB, granted.fencingToken(), new Wait.GoesOn(LEASE), Duration.ZERO, Slots.ONLY);
    }

    private StoredLock.Held held() {
        return (StoredLock.Held) answer(a.inspect(key, 0));
    }

    private AcquireResult acquire(ZooKeeperLockBackend backend, LockToken token) {
        return answer(attempt(backend, token));
    }

    private CompletionStage<AcquireResult> attempt(ZooKeeperLockBackend backend, LockToken token) {
        Waiting waiting = new Waiting(Waiting.NEW, LEASE);
        return backend.attemptAcquire(new AcquireCommand(key, token, LEASE, 0, 1, Optional.of(waiting)));
    }

    private final class Signals implements SignalListener {

        @Override
        public void onSignal(String signalled, int slot) {
            signals.add(signalled);
        }

        @Override
        public void onWanted(String wanted) {}

        @Override
        public void onRevoked(String revoked, String fingerprint) {}

        @Override
        public void onMailboxRestored() {}
    }
}
