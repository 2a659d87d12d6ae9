package io.github.lockstarter.redis.scenario;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Common parts of the child JVMs: a lock client on a server of the parent. */
final class ChildClient {

    private ChildClient() {}

    /** A connected template that lives as long as its JVM. */
    static LockTemplate locks(String port, Duration lease) {
        return locks(port, Application.settings(lease));
    }

    /** One with these settings. */
    static LockTemplate locks(String port, EngineSettings settings) {
        RedisStore store = new RedisStore(RedisURI.create("127.0.0.1", Integer.parseInt(port)));
        LockEngine engine = new LockEngine(store.connect(), settings, List.of(), EngineClock.SYSTEM);
        LockTemplate locks = new LockTemplate(engine);
        // A lease would count from before the first connection of a new JVM.
        WarmUp.connect(locks, "warm-up:" + UUID.randomUUID());
        if (!settings.terms().crashTakeover().orElseThrow().isZero()) {
            awaitTakeover(engine);
        }
        return locks;
    }

    /** Otherwise the JVM may be killed before its first lock can be taken over. */
    private static void awaitTakeover(LockEngine engine) {
        await().atMost(Patience.TIME)
                .until(() -> engine.admin()
                                .storeState()
                                .get(Patience.SECONDS, TimeUnit.SECONDS)
                                .crashTakeover()
                                .state()
                        == CrashTakeover.State.ON);
    }
}
