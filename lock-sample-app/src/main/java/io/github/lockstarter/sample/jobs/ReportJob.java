package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.MinHoldIf;
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

/** Counts orders. One instance runs each tick; requests and ticks exclude each other. */
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
     * Skips the run if another one is in progress in any instance, or started less than a second ago. The second
     * covers clock differences between instances, so that a tick runs once. After a failure, the next run may follow at
     * once.
     *
     * @return the report; empty if skipped
     */
    @Scheduled(cron = "${sample.jobs.report-cron}")
    @ScheduledLock(name = "report", minHoldMs = 1000, minHoldIf = MinHoldIf.SUCCESS)
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
     * Result of a run.
     *
     * @param shipped number of placed orders that have been shipped
     * @param fencingToken greater in newer reports
     */
    record Report(long placed, long shipped, long fencingToken) {}
}
