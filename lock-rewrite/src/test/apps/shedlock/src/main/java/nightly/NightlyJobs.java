package nightly;

import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
public class NightlyJobs {

    private static final AtomicInteger REPORTS = new AtomicInteger();

    @Scheduled(cron = "0 0 3 1 1 *")
    @SchedulerLock(name = "report", lockAtLeastFor = "30s")
    public void report() {
        LockAssert.assertLocked();
        REPORTS.incrementAndGet();
    }

    @Scheduled(cron = "0 0 4 1 1 *")
    @SchedulerLock(name = "cleanup", lockAtMostFor = "20s")
    public void cleanUp() {}

    public int reports() {
        return REPORTS.get();
    }
}
