package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * An instance whose mailbox is not connected to the server of its locks, as behind a proxy that answers {@code
 * SUBSCRIBE} and {@code PUBSUB} itself: here, its mailbox is on another server.
 */
class UnreachableMailboxIT extends RedisScenario {

    @RegisterExtension
    static final RedisExtension SIGNALS = new RedisExtension();

    private static final Duration TAKEOVER =
            EngineSettings.DEFAULTS.terms().crashTakeover().orElseThrow();

    private final LockRequest patient = request.maxWait(Patience.TIME);

    /** Beats continue, so each mark is removed before it is a takeover time old. */
    @Test
    void anInstanceWithoutAMailboxKeepsItsLocksWhileItBeats() throws Exception {
        try (RedisLockBackend backend = split(REDIS.server().uri());
                Application holder = takingPart(Application.over(backend, Application.settings(LONG_LEASE)))) {
            Application rival = takingPart(newApplication());
            LockHandle held = holder.locks().acquire(request);
            Future<LockHandle> next = elsewhere(() -> rival.locks().acquire(patient));
            awaitWaiting();

            long until = System.nanoTime() + TAKEOVER.multipliedBy(3).toNanos();
            while (System.nanoTime() - until < 0) {
                held.ensureHeld();
                pauseBetweenLooks();
            }

            assertThat(next).isNotDone();
            assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
            held.close();
            resultOf(next).close();
        }
    }

    @Test
    void aDisconnectedInstanceIsNotCertainOnceTheNextOwnerIs() throws Exception {
        TcpProxy proxy = newProxy();
        try (RedisLockBackend backend = split(RedisURI.create(proxy.host(), proxy.port()));
                Application holder = takingPart(Application.over(backend, Application.settings(LONG_LEASE)))) {
            Application heir = takingPart(newApplication());
            LockHandle held = holder.locks().acquire(request);
            Future<Long> grantedAt = elsewhere(() -> {
                try (LockHandle next = heir.locks().acquire(patient)) {
                    next.ensureHeld();
                    return System.nanoTime();
                }
            });
            awaitWaiting();

            proxy.refuse();
            proxy.cut();
            long lastHeld = lastTimeHeldUntil(grantedAt, held);

            assertThat(resultOf(grantedAt)).isGreaterThan(lastHeld);
            proxy.accept();
            assertThatThrownBy(held::ensureHeld).isInstanceOf(LockLostException.class);
        }
    }

    private static RedisLockBackend split(RedisURI locks) {
        RedisConnector commands = new DirectRedisConnector(locks, RedisStore.SETTINGS);
        RedisConnector signals = new DirectRedisConnector(SIGNALS.server().uri(), RedisStore.SETTINGS);
        return new RedisLockBackend(new Split(commands, signals), RedisStore.SETTINGS);
    }

    /** Commands go to one server, and signals come from another one. */
    private record Split(RedisConnector commands, RedisConnector signals) implements RedisConnector {

        @Override
        public StatefulConnection<String, String> connect() {
            return commands.connect();
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return signals.connectPubSub();
        }

        @Override
        public ScheduledExecutorService loop() {
            return commands.loop();
        }

        @Override
        public Target target() {
            return commands.target();
        }

        @Override
        public void close() {
            commands.close();
            signals.close();
        }
    }
}
