package io.github.lockstarter.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.testing.RedisExtension;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.SignalListener;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whether Redis hears an instance, and on which connection. */
class MailboxCheckIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final String instance = UUID.randomUUID().toString().replace("-", "");
    private final RedisStore store = new RedisStore(REDIS.server().uri());
    private RedisCommands<String, String> redis;
    private CrashDetection check;

    @BeforeEach
    void listen() {
        redis = REDIS.server().commands();
        RedisLockBackend backend = (RedisLockBackend) store.connect();
        backend.listen(instance, new Deaf());
        check = backend.crashDetections().get(0);
        await().until(() -> heard().isPresent());
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Lettuce subscribes again what the connection before had subscribed; in which order, is its affair. */
    @RepeatedTest(10)
    void hasAnotherNumberAfterEachBreakOfTheMailbox() {
        for (int i = 0; i < 5; i++) {
            killTheMailbox();
        }
    }

    @Test
    void hasAnotherNumberAfterABreakOfTheCommands() {
        long before = heardSoon();
        redis.clientKill(KillArgs.Builder.typeNormal());
        await().until(() -> {
            OptionalLong now = heard();
            return now.isPresent() && now.getAsLong() != before;
        });
    }

    @Test
    void keepsItsNumberOnTheSameConnections() {
        long before = heardSoon();
        for (int i = 0; i < 20; i++) {
            assertThat(heardSoon()).isEqualTo(before);
        }
    }

    @Test
    void hasOneChannelForEachConnectionAtATime() {
        for (int i = 0; i < 3; i++) {
            killTheMailbox();
        }
        await().untilAsserted(() -> assertThat(channels()).hasSize(1));
    }

    /** Each positive answer from then on has another number. */
    private void killTheMailbox() {
        long before = heardSoon();
        redis.clientKill(KillArgs.Builder.typePubsub());
        await().during(Duration.ofMillis(50)).pollInterval(Duration.ofMillis(1)).until(() -> heardSoon() > before);
    }

    private List<String> channels() {
        return redis.pubsubChannels("lock:heartbeat:" + instance + ":*");
    }

    private long heardSoon() {
        await().pollInterval(Duration.ofMillis(1)).until(() -> heard().isPresent());
        OptionalLong now = heard();
        return now.isPresent() ? now.getAsLong() : heardSoon();
    }

    private OptionalLong heard() {
        CompletableFuture<OptionalLong> answer = check.beat().toCompletableFuture();
        return answer.completeOnTimeout(OptionalLong.empty(), 3, TimeUnit.SECONDS)
                .join();
    }

    private static final class Deaf implements SignalListener {

        @Override
        public void onSignal(String key) {}

        @Override
        public void onWanted(String key) {}

        @Override
        public void onRevoked(String key, String fingerprint) {}

        @Override
        public void onMailboxRestored() {}
    }
}
