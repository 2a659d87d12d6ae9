package io.github.lockstarter.benchmarks.micro;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;

/** The same work without a lock, with the template, and with the annotation. */
public class ShippingVariants {

    private final LockOperations locks;

    public ShippingVariants(LockOperations locks) {
        this.locks = locks;
    }

    public long shipPlain(long orderId) {
        return orderId + 1;
    }

    public long shipByTemplate(long orderId) {
        return locks.execute(LockRequest.of("ship:" + orderId), () -> orderId + 1);
    }

    @DistributedLock(name = "ship", key = "#orderId")
    public long shipByAnnotation(long orderId) {
        return orderId + 1;
    }
}
