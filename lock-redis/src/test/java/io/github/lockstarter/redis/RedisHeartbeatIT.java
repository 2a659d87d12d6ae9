package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.CrashDetection.Beat;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.TakeoverCondition;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The beats of an instance on a real Redis. */
class RedisHeartbeatIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final String instance = UUID.randomUUID().toString().replace("-", "");
    private final RedisStore store = new RedisStore(REDIS.server().uri());
    private RedisCommands<String, String> redis;
    private CrashDetection heartbeat;

    @BeforeEach
    void listen() {
        redis = REDIS.server().commands();
        RedisLockBackend backend = (RedisLockBackend) store.connect();
        backend.listen(instance, new Deaf());
        heartbeat = backend.crashDetection().orElseThrow();
        answeredBeat();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aBeatRemovesTheMarkOfItsInstance() {
        redis.hset(GuardedScripts.TAKEOVERS, GuardedScripts.markOf(instance), "1 2 3 4");
        answeredBeat();
        assertThat(redis.exists(GuardedScripts.TAKEOVERS)).isZero();
    }

    @Test
    void theAnswerNamesTheHistoryAndTheTakeover() {
        Beat first = answeredBeat();
        assertThat(first.takeover()).isEmpty();
        redis.hset(GuardedScripts.TAKEOVERS, GuardedScripts.traceOf(instance), "17 18+");
        Beat later = answeredBeat();
        assertThat(later.history()).isEqualTo(first.history());
        assertThat(later.takeover()).isEqualTo("17");
    }

    @Test
    void theAnswerNamesAnotherHistoryOnceTheServerMayHaveForgottenTakeovers() {
        String before = answeredBeat().history();
        redis.flushall();
        assertThat(answeredBeat().history()).isNotEqualTo(before);
    }

    @Test
    void beatsUseTheConnectionOfTheCommands() {
        String history = answeredBeat().history();
        redis.clientKill(KillArgs.Builder.typeNormal());
        await().until(() -> beat().map(Beat::history).equals(Optional.of(history)));
    }

    @Test
    void theInstanceIsSubscribedAgainAfterTheMailboxBreaks() {
        String mailbox = "lock:mailbox:" + instance;
        await().until(() -> subscribers(mailbox) == 1);
        redis.clientKill(KillArgs.Builder.typePubsub());
        await().pollInterval(Duration.ofMillis(50)).until(() -> beat().isPresent() && subscribers(mailbox) == 1);
    }

    private long subscribers(String mailbox) {
        return redis.pubsubNumsub(mailbox).get(mailbox);
    }

    @Test
    void asksForNoAcknowledgementWithoutReplicas() {
        assertThat(heartbeat.takeoverCondition()).isEqualTo(TakeoverCondition.NONE);
    }

    /** Repeated, as the engine does it, where one is lost. */
    private Beat answeredBeat() {
        return await().until(this::beat, Optional::isPresent).orElseThrow();
    }

    private Optional<Beat> beat() {
        return heartbeat
                .beat(List.of())
                .toCompletableFuture()
                .completeOnTimeout(Optional.empty(), Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS)
                .join();
    }

    private static final class Deaf implements SignalListener {

        @Override
        public void onSignal(String key, int slot) {}

        @Override
        public void onWanted(String key) {}

        @Override
        public void onRevoked(String key, String fingerprint) {}

        @Override
        public void onMailboxRestored() {}
    }
}
