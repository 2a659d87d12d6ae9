package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.orders.OrderStore;
import org.springframework.stereotype.Service;

/** Makes one long blocking call, which cannot check the lock: if the lock is lost, its thread is interrupted. */
@Service
class ExportJob {

    private final OrderStore orders;
    private final JobProperties properties;

    ExportJob(OrderStore orders, JobProperties properties) {
        this.orders = orders;
        this.properties = properties;
    }

    /** {@return the number of exported orders} */
    @DistributedLock(name = "export", leaseMs = 1000, onLost = OnLost.INTERRUPT)
    public Exported export() {
        SimulatedWork.lasting(properties.exportTime());
        return new Exported(orders.lastOrderId());
    }

    /** Result of an export. */
    record Exported(long orders) {}
}
