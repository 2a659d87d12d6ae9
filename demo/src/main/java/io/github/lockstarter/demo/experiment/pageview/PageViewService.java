package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import java.util.OptionalLong;
import org.springframework.stereotype.Service;

/** Counts page views in all ways except Redlock. */
@Service
public class PageViewService {

    private final ViewCounter counter;

    PageViewService(ViewCounter counter) {
        this.counter = counter;
    }

    /** Counts in Redis, without a critical section. */
    PageView increment(String page, String request) {
        return counter.increment(new View(Variant.V0, page, request));
    }

    /** Without a lock: two requests that read the same number write the same number. */
    PageView countUnlocked(String page, String request) {
        return counter.count(new View(Variant.V1, page, request), OptionalLong.empty());
    }

    /** One view at a time in this JVM only. */
    synchronized PageView countSynchronized(String page, String request) {
        return counter.count(new View(Variant.V2, page, request), OptionalLong.empty());
    }

    /** One view of a page at a time in all instances, with the Redis of {@code spring.data.redis.*}. */
    @DistributedLock(name = "pview-v3", key = "#page")
    PageView countLocked(String page, String request) {
        long fence = LockHandle.current().orElseThrow().fencingToken();
        return counter.count(new View(Variant.V3, page, request), OptionalLong.of(fence));
    }
}
