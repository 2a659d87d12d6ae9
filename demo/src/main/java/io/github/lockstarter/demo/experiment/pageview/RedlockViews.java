package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import java.util.OptionalLong;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/**
 * Counts page views under a lock on a quorum of servers ({@code distributed-lock.redlock.nodes}), the additional store
 * of {@code application-redlock.yml}.
 */
@Service
@Profile("redlock")
public class RedlockViews {

    private final ViewCounter counter;

    RedlockViews(ViewCounter counter) {
        this.counter = counter;
    }

    @DistributedLock(name = "pview-v4", key = "#page", locks = "redlockLocks")
    PageView count(String page, String request) {
        long fence = LockHandle.current().orElseThrow().fencingToken();
        return counter.count(new View(Variant.V4, page, request), OptionalLong.of(fence));
    }
}
