package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.orders.Order;
import io.github.lockstarter.sample.orders.OrderStore;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.util.Optional;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/** Counts orders. Each tick runs in one instance, and so does what a request asks for meanwhile. */
@Service
class ReportJob {

    private static final Logger log = LoggerFactory.getLogger(ReportJob.class);

    private final OrderStore orders;
    private final JobProperties properties;

    ReportJob(OrderStore orders, JobProperties properties) {
        this.orders = orders;
        this.properties = properties;
    }

    /**
     * Runs unless another run is in progress, here or in another instance, or has begun less than a second ago: the
     * clocks of the instances may differ by that much, and a tick is to run once.
     *
     * @return the report; empty when skipped
     */
    @Scheduled(cron = "${sample.jobs.report-cron}")
    @ScheduledLock(name = "report", atLeastMs = 1000)
    public Optional<Report> run() {
        SimulatedWork.lasting(properties.reportTime());
        Report report = report(LockHandle.current().orElseThrow().fencingToken());
        log.info("{} orders were placed, and {} of them have been shipped", report.placed(), report.shipped());
        return Optional.of(report);
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
