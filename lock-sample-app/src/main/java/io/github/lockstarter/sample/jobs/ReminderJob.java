package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.leader.LeaderGranted;
import io.github.lockstarter.leader.LeaderOnly;
import io.github.lockstarter.leader.LeaderRevoked;
import io.github.lockstarter.leader.Leaders;
import io.github.lockstarter.leader.Leadership;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/** Sends reminders from one instance only: the leader. */
@Service
class ReminderJob {

    private static final Logger log = LoggerFactory.getLogger(ReminderJob.class);
    private static final String ROLE = "reminders";

    /** The application may have other roles. */
    private static final String OF_THIS_ROLE = "#event.role() == '" + ROLE + "'";

    private final Leadership leadership;
    private final AtomicLong sent = new AtomicLong();

    ReminderJob(Leaders leaders) {
        this.leadership = leaders.role(ROLE);
    }

    /** Runs on the leader, under its lock; does nothing on other instances. */
    @Scheduled(fixedDelayString = "${sample.jobs.reminder-delay}")
    @LeaderOnly(ROLE)
    public void remind() {
        long term = LockHandle.current().orElseThrow().fencingToken();
        log.debug("Reminder {} of term {}", sent.incrementAndGet(), term);
    }

    @EventListener(condition = OF_THIS_ROLE)
    void lead(LeaderGranted event) {
        log.info("Sends the reminders from now on, term {}", event.term());
    }

    @EventListener(condition = OF_THIS_ROLE)
    void leave(LeaderRevoked event) {
        log.info("Sends no more reminders: {}", event.cause());
    }

    Reminders reminders() {
        return new Reminders(leadership.isLeader(), leadership.term().orElse(0), sent.get());
    }

    /**
     * State of this instance.
     *
     * @param term number of the leadership; 0 if this instance is not the leader
     * @param sent reminders sent by this instance
     */
    record Reminders(boolean leader, long term, long sent) {}
}
