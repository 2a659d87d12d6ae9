package io.github.lockstarter.contract;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.EngineClock;
import io.github.lockstarter.engine.LockEngine;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** What the child JVMs have in common: a lock client on a server of the parent. */
final class ChildClient {

    private ChildClient() {}

    /** A connected template that lives as long as its JVM. */
    static LockTemplate locks(String port, Duration lease) {
        RedisStore store = new RedisStore(RedisURI.create("127.0.0.1", Integer.parseInt(port)));
        LockEngine engine = new LockEngine(store.connect(), Application.settings(lease), List.of(), EngineClock.SYSTEM);
        LockTemplate locks = new LockTemplate(engine, OnLost.THROW);
        // A new JVM takes its time to connect, and a lease counts from before that.
        locks.acquire(LockRequest.of("warm-up:" + UUID.randomUUID()).leasedFor(Duration.ofMinutes(1)))
                .close();
        return locks;
    }
}
