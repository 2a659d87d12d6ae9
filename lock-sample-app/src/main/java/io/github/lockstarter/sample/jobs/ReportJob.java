package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.orders.Order;
import io.github.lockstarter.sample.orders.OrderStore;
import java.util.Optional;
import java.util.stream.LongStream;
import org.springframework.stereotype.Service;

/** Counts orders; a second run at the same time would only do the same work twice, so it is skipped. */
@Service
class ReportJob {

    private static final LockRequest LOCK = LockRequest.of("report").named("report");

    private final LockOperations locks;
    private final OrderStore orders;
    private final JobProperties properties;

    ReportJob(LockOperations locks, OrderStore orders, JobProperties properties) {
        this.locks = locks;
        this.orders = orders;
        this.properties = properties;
    }

    /**
     * Runs unless another run is in progress, here or in another instance.
     *
     * @return the report; empty when skipped
     */
    Optional<Report> run() {
        Optional<LockHandle> granted = locks.tryAcquire(LOCK);
        if (granted.isEmpty()) {
            return Optional.empty();
        }
        try (LockHandle lock = granted.get()) {
            SimulatedWork.lasting(properties.reportTime());
            return Optional.of(report(lock.fencingToken()));
        }
    }

    private Report report(long fencingToken) {
        long placed = orders.lastOrderId();
        long shipped = LongStream.rangeClosed(1, placed)
                .mapToObj(orders::find)
                .flatMap(Optional::stream)
                .map(Order::shipment)
                .filter(Optional::isPresent)
                .count();
        return new Report(placed, shipped, fencingToken);
    }

    /**
     * What a run found.
     *
     * @param placed orders taken
     * @param shipped of these, those that have left
     * @param fencingToken of the lock of the run: a newer report has a greater one
     */
    record Report(long placed, long shipped, long fencingToken) {}
}
