package io.github.lockstarter.redis.scenario;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.contract.RedisStore;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Common parts of the child JVMs: a lock client on a server of the parent. */
final class ChildClient {

    private static final int CONNECT_ATTEMPTS = 100;

    private ChildClient() {}

    /** A connected template that lives as long as its JVM, and waits long for an answer of a busy machine. */
    static LockTemplate locks(String port, Duration lease) {
        return locks(store(port).with(RedisStore.patient(Duration.ofSeconds(2))), Application.settings(lease));
    }

    /** One with these settings, for which an answer is lost after the usual time. */
    static LockTemplate locks(String port, EngineSettings settings) {
        return locks(store(port), settings);
    }

    private static RedisStore store(String port) {
        return new RedisStore(RedisURI.create("127.0.0.1", Integer.parseInt(port)));
    }

    private static LockTemplate locks(RedisStore store, EngineSettings settings) {
        LockEngine engine = new LockEngine(store.connect(), settings, List.of(), EngineClock.SYSTEM);
        LockTemplate locks = new LockTemplate(engine, OnLost.THROW);
        warmUp(locks);
        if (!settings.crashTakeOver().isZero()) {
            awaitTakeOver(engine);
        }
        return locks;
    }

    /** Otherwise the JVM may be killed before its first lock can be taken over. */
    private static void awaitTakeOver(LockEngine engine) {
        await().atMost(Patience.TIME)
                .until(() -> engine.admin()
                                .storeState()
                                .get(Patience.SECONDS, TimeUnit.SECONDS)
                                .crashTakeOver()
                                .state()
                        == CrashTakeOver.State.ON);
    }

    /**
     * A new JVM takes its time to connect, sometimes longer than a command may take; and a lease counts from before
     * that.
     */
    private static void warmUp(LockTemplate locks) {
        LockRequest any = LockRequest.of("warm-up:" + UUID.randomUUID()).leasedFor(Duration.ofMinutes(1));
        for (int attempt = 1; ; attempt++) {
            try {
                locks.acquire(any).close();
                return;
            } catch (LockBackendException e) {
                if (attempt == CONNECT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
