package io.github.lockstarter.observe;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Scope;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs outages and recoveries of the store, at their beginning and end: WARN if locks depend on it, INFO for a quorum
 * vote that does not count for a while.
 */
final class StoreLog {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ssXXX", Locale.ROOT);

    private StoreLog() {}

    static void write(StoreEvent event) {
        if (event instanceof StoreEvent.RecoveryStarted recovery) {
            recovers(recovery);
        } else if (event instanceof StoreEvent.RecoveryEnded recovery) {
            recovered(recovery);
        } else if (event instanceof StoreEvent.Unreachable outage) {
            unreachable(outage);
        } else if (event instanceof StoreEvent.Reachable outage) {
            log.warn("{} is reachable again after {}", outage.store(), DurationText.of(outage.lasted()));
        }
    }

    private static void recovers(StoreEvent.RecoveryStarted recovery) {
        long seconds = recovery.remaining().plusMillis(999).toSeconds();
        String until =
                OffsetTime.now(ZoneId.systemDefault()).plusSeconds(seconds).format(TIME);
        if (recovery.scope() == Scope.VOTE) {
            log.info("{}. Its vote does not count for {}s, until {}", recovery.problem(), seconds, until);
            return;
        }
        log.warn(
                "{}. Free locks{} are not granted for {}s (the grace period, by default distributed-lock.max-lease), "
                        + "until {}, since owners of forgotten locks may still be working. There is nothing to do: "
                        + "after that time free locks are granted again",
                recovery.problem(),
                affected(recovery.scope()),
                seconds,
                until);
    }

    private static void recovered(StoreEvent.RecoveryEnded recovery) {
        if (recovery.scope() == Scope.VOTE) {
            log.info("The vote of {} counts again after {}", recovery.store(), DurationText.of(recovery.lasted()));
        } else {
            log.warn("{} grants free locks again after {}", recovery.store(), DurationText.of(recovery.lasted()));
        }
    }

    private static void unreachable(StoreEvent.Unreachable outage) {
        if (outage.scope() == Scope.VOTE) {
            log.warn("{} is unreachable, and its vote is missing: {}", outage.store(), outage.problem());
            return;
        }
        log.warn(
                "{} is unreachable: {}. Locks{} can be neither acquired nor renewed until it answers; held locks end "
                        + "with their leases",
                outage.store(),
                outage.problem(),
                affected(outage.scope()));
    }

    private static String affected(Scope scope) {
        return scope == Scope.PART ? " whose keys are there" : "";
    }
}
