package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/** A request takes the lock; the instance that takes the job from the queue continues under it. */
@Service
class ExportJob {

    private static final Logger log = LoggerFactory.getLogger(ExportJob.class);

    private static final String QUEUE = "sample:exports";
    private static final Duration LONGEST_IN_QUEUE = Duration.ofSeconds(30);

    private final LockOperations locks;
    private final StringRedisTemplate redis;
    private final JobProperties properties;
    private final AtomicLong exports = new AtomicLong();

    ExportJob(LockOperations locks, StringRedisTemplate redis, JobProperties properties) {
        this.locks = locks;
        this.redis = redis;
        this.properties = properties;
    }

    /**
     * Queues an export. The lock stays locked until the export is done, or has waited too long.
     *
     * @throws io.github.lockstarter.LockNotAcquiredException if one is queued or running in any instance
     */
    void request() {
        try (LockHandle lock = locks.acquire(LockRequest.of("export").withoutWaiting())) {
            LockTicket ticket = lock.detach(LONGEST_IN_QUEUE);
            try {
                redis.opsForList().leftPush(QUEUE, ticket.text()); // the ticket is a secret: keep it out of the log
            } catch (DataAccessException e) {
                locks.release(ticket); // if it was queued nevertheless, the lock of that ticket is lost
                throw e;
            }
        }
    }

    @Scheduled(fixedDelayString = "${sample.jobs.export-delay}")
    void work() {
        String ticket = redis.opsForList().rightPop(QUEUE);
        if (ticket == null) {
            return;
        }
        try {
            locks.execute(LockRequest.ofTicket(LockTicket.of(ticket)), this::export);
        } catch (LockLostException e) {
            log.warn("An export is left out or incomplete; request it again", e);
        } catch (LockStoreRecoveringException e) {
            redis.opsForList().rightPush(QUEUE, ticket); // its lock is kept for it
        }
    }

    private void export() {
        SimulatedWork.lasting(properties.reportTime());
        exports.incrementAndGet();
    }

    /** {@return the number of exports by this instance} */
    long exports() {
        return exports.get();
    }
}
