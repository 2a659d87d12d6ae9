package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.LabEvent;
import org.jspecify.annotations.Nullable;

/** Collects the events of one hold. Fields are 0 or empty until their event arrives. Used by one thread. */
final class HoldDraft {

    private final LabEvent acquired;
    private final long takeover;
    private long deadline;
    private long certainAt;
    private long releasingAt;
    private long returnedAt;
    private String outcome = "";
    private String written = "";
    private long lostAt;
    private String cause = "";

    /** @param takeover as {@link LoggedHold.Right} */
    HoldDraft(LabEvent acquired, long takeover) {
        this.acquired = acquired;
        this.takeover = takeover;
        this.deadline = acquired.until();
    }

    String worker() {
        return acquired.worker();
    }

    boolean hasReturned() {
        return returnedAt != 0;
    }

    /** Returns whether it is about this hold only, and not about others that share the lock. The first one counts. */
    boolean add(LabEvent event) {
        switch (event.kind()) {
            case EXTENDED -> deadline = Math.max(deadline, event.until());
            case CERTAIN -> certainAt = event.at();
            case LOSS_REPORTED -> cause = event.note();
            case RELEASING -> {
                if (releasingAt == 0) {
                    certainAt = Math.max(certainAt, event.from());
                    deadline = Math.max(deadline, event.until());
                    releasingAt = event.at();
                    written = event.note();
                    return true;
                }
            }
            case RELEASED -> {
                if (returnedAt == 0) {
                    returnedAt = event.at();
                    outcome = event.note();
                    return true;
                }
            }
            case LOST -> {
                if (lostAt == 0 && releasingAt == 0) {
                    lostAt = event.at();
                    return true;
                }
            }
            default -> {}
        }
        return false;
    }

    /** @param logsEnd end of a hold without another one */
    LoggedHold toHold(@Nullable LabEvent kill, long logsEnd) {
        return new LoggedHold(
                acquired.worker(),
                acquired.key(),
                acquired.token(),
                acquired.from(),
                acquired.at(),
                acquired.note(),
                new LoggedHold.Right(deadline, takeover, certainAt),
                end(kill, logsEnd));
    }

    private LoggedHold.End end(@Nullable LabEvent kill, long logsEnd) {
        if (lostAt != 0 && (releasingAt == 0 || lostAt <= releasingAt)) {
            return new LoggedHold.End(lostAt, LoggedHold.Kind.LOST, cause, returnedAt, written);
        }
        if (releasingAt != 0) {
            String outcomeAndCause = outcome.equals("LOST") ? (outcome + ' ' + cause).strip() : outcome;
            return new LoggedHold.End(releasingAt, LoggedHold.Kind.RELEASED, outcomeAndCause, returnedAt, written);
        }
        return kill == null
                ? new LoggedHold.End(logsEnd, LoggedHold.Kind.OPEN, "", 0, written)
                : new LoggedHold.End(kill.from(), LoggedHold.Kind.KILLED, "", 0, written);
    }
}
