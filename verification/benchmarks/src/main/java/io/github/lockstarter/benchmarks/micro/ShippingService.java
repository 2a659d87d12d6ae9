package io.github.lockstarter.benchmarks.micro;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;

/** The same work plain, under the template, and under the annotation. */
public class ShippingService {

    private final LockOperations locks;

    /**
     * Created by Spring.
     *
     * @param locks the template
     */
    public ShippingService(LockOperations locks) {
        this.locks = locks;
    }

    /**
     * Without a lock.
     *
     * @param orderId what is shipped
     * @return something that depends on it
     */
    public long shipPlain(long orderId) {
        return orderId + 1;
    }

    /**
     * Under a lock of the template.
     *
     * @param orderId what is shipped
     * @return something that depends on it
     */
    public long shipByTemplate(long orderId) {
        return locks.execute(LockRequest.of("ship:" + orderId), () -> orderId + 1);
    }

    /**
     * Under a lock of the annotation.
     *
     * @param orderId what is shipped
     * @return something that depends on it
     */
    @DistributedLock(name = "ship", key = "#orderId")
    public long shipByAnnotation(long orderId) {
        return orderId + 1;
    }

    /**
     * Under a lock of the annotation that the transaction of the caller keeps.
     *
     * @param orderId what is shipped
     * @return something that depends on it
     */
    @DistributedLock(name = "ship", key = "#orderId", inTransaction = InTransaction.RELEASE_AFTER)
    public long shipAndReleaseAfter(long orderId) {
        return orderId + 1;
    }
}
