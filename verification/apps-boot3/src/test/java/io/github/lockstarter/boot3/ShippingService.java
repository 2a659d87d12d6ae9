package io.github.lockstarter.boot3;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Service;

/** The bean whose methods are locked. */
@Service
class ShippingService {

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger mostInside = new AtomicInteger();
    private int shipped; // guarded by the lock alone, on purpose

    @DistributedLock(key = "#orderId", leaseMs = 30000)
    public long ship(long orderId) {
        mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
        try {
            int before = shipped;
            Thread.yield();
            shipped = before + 1;
            return LockHandle.current().orElseThrow().fencingToken();
        } finally {
            inside.decrementAndGet();
        }
    }

    @DistributedLock(name = "audit", leaseMs = 900)
    public void audit(Runnable work) {
        work.run();
    }

    @ScheduledLock(name = "${shipping.report:report}", minHold = "20s", lease = "PT25S")
    public Optional<String> report() {
        return Optional.of("written");
    }

    @DistributedLock(name = "shipped")
    public int shipped() {
        return shipped;
    }

    public int mostInside() {
        return mostInside.get();
    }
}
