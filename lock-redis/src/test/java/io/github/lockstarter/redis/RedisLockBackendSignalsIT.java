package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recipients of signals, and the name of the lock in them. */
class RedisLockBackendSignalsIT extends BackendOnServer {

    @ParameterizedTest
    @ValueSource(strings = {"a{b}c", "100%", "line\nbreak", "grö😀ße", "\uD800broken", " ", "", "%!order:42", "!"})
    void signalsNameTheOriginalKeyToWaitersAndToTheOwner(String key) {
        signalsKey(key);
    }

    @Test
    void signalsNameTheOriginalOfAHashedKey() {
        signalsKey("x".repeat(10_240));
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
            answer(ownersBackend.attemptAcquire(
                    new AcquireCommand(key, owner, BackendUser.LEASE, 0, 1, Optional.empty())));
            assertThat(answer(backend.attemptAcquire(new AcquireCommand(key, OTHER, BackendUser.LEASE, 0, 1, waiting))))
                    .isInstanceOf(AcquireResult.Contended.class);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(ownersSignals.wanted()).containsExactly(key));
            assertThat(answer(ownersBackend.releaseToken(new ReleaseCommand(key, owner, 0))))
                    .isEqualTo(new ReleaseResult.Released(1));
        }
        Awaitility.await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(key));
        assertThat(ownersSignals.keys()).isEmpty();
        assertThat(signals.wanted()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 10_240})
    void signalsOfAWithdrawalOrARequeuingReleaseNameTheOriginalKey(int length) {
        String key = "x".repeat(length);
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        Waiting atTheEnd = new Waiting(Waiting.NEW, BackendUser.LEASE);
        answer(backend.attemptAcquire(new AcquireCommand(key, OWNER, BackendUser.LEASE, 0, 1, Optional.empty())));
        long position = position(key, atTheEnd);
        answer(backend.releaseToken(ReleaseCommand.endOfWait(key, OWNER)));
        Awaitility.await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(key));

        LockToken owner = token("a", 2);
        answer(backend.attemptAcquire(new AcquireCommand(key, owner, BackendUser.LEASE, 0, 1, Optional.empty())));
        assertThat(position(key, new Waiting(position, BackendUser.LEASE))).isEqualTo(position);
        assertThat(answer(backend.releaseToken(new ReleaseCommand(
                        key, owner, 0, new Wait.GoesOn(BackendUser.LEASE), Duration.ZERO, Slots.ONLY))))
                .isEqualTo(new ReleaseResult.Released(1));
        Awaitility.await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(key, key));
        assertThat(redis.zrange(new KeySpace("lock:").keysOf(key).waiters(), 0, -1))
                .containsExactly("a");
    }

    private long position(String key, Waiting waiting) {
        AcquireResult result = answer(
                backend.attemptAcquire(new AcquireCommand(key, OTHER, BackendUser.LEASE, 0, 1, Optional.of(waiting))));
        assertThat(result).isInstanceOf(AcquireResult.Contended.class);
        return ((AcquireResult.Contended) result).position();
    }

    @Test
    void ignoresUnknownMessages() {
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
    void subscribesBeforeTheFirstCommandEvenIfAlreadyConnected() {
        backend.start();
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        assertThat(user.waitFor(OTHER)).isInstanceOf(AcquireResult.Granted.class);
        assertThat(redis.publish("lock:mailbox:b", "order:42")).isEqualTo(1);
    }

    @Test
    void leavesTheMailboxOfTheFormerId() {
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        user.granted(OWNER);

        for (String next : List.of("c", "d")) {
            backend.listen(next, signals);
            user.release(OWNER, 0); // behind the subscription
            assertThat(redis.publish("lock:mailbox:" + next, next)).isEqualTo(1);
            // The next id may drop what is under way to this one.
            Awaitility.await().atMost(Patience.TIME).untilAsserted(() -> assertThat(signals.keys())
                    .endsWith(next));
        }

        assertThat(signals.keys()).containsExactly("c", "d");
        Awaitility.await().atMost(Patience.TIME).untilAsserted(() -> assertThat(redis.pubsubChannels())
                .containsExactly("lock:mailbox:d"));
    }

    @Test
    void acceptsOnlyOneListener() {
        backend.listen("b", new RecordedSignals());
        assertThatIllegalStateException().isThrownBy(() -> backend.listen("c", new RecordedSignals()));
    }
}
