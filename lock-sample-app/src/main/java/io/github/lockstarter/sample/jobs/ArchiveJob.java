package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.orders.OrderStore;
import org.springframework.stereotype.Service;

/** Makes one long blocking call, which cannot check the lock: if the lock is lost, its thread is interrupted. */
@Service
class ArchiveJob {

    private final OrderStore orders;
    private final JobProperties properties;

    ArchiveJob(OrderStore orders, JobProperties properties) {
        this.orders = orders;
        this.properties = properties;
    }

    /** {@return the number of archived orders} */
    @DistributedLock(name = "archive", leaseMs = 1000, onLost = OnLost.INTERRUPT)
    public Archived archive() {
        SimulatedWork.lasting(properties.archiveTime());
        return new Archived(orders.lastOrderId());
    }

    /** Result of an archiving run. */
    record Archived(long orders) {}
}
