package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import java.util.OptionalLong;
import org.springframework.stereotype.Service;

/**
 * Counts one view of a page at a time, over all instances. The lock is in the Redis of {@code spring.data.redis.*},
 * unless the experiment chooses another store by {@code pview.locks}.
 */
@Service
public class LockedViews {

    private final ViewCounter counter;

    LockedViews(ViewCounter counter) {
        this.counter = counter;
    }

    /**
     * Counts a view.
     *
     * @param page the page
     * @param request id of the request
     * @return the counted view
     */
    @DistributedLock(name = "pview-v3", key = "#page", locks = "${pview.locks:}")
    PageView count(String page, String request) {
        long fence = LockHandle.current().orElseThrow().fencingToken();
        return counter.count(new View(Variant.V3, page, request), OptionalLong.of(fence));
    }
}
