package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.LabEvent;
import org.jspecify.annotations.Nullable;

/**
 * A hold that is being put together from the events of its worker, by one thread. Its fields are 0 or empty until they
 * come.
 */
final class HoldDraft {

    private final LabEvent acquired;
    private final long takeOver;
    private long deadline;
    private long certainAt;
    private long releasingAt;
    private long returnedAt;
    private String outcome = "";
    private String written = "";
    private long lostAt;
    private String cause = "";

    /**
     * A hold that has begun.
     *
     * @param acquired its begin
     * @param takeOver how many ns after the end of the worker's connection the lock may be taken over; 0 if it may not
     */
    HoldDraft(LabEvent acquired, long takeOver) {
        this.acquired = acquired;
        this.takeOver = takeOver;
        this.deadline = acquired.until();
    }

    String worker() {
        return acquired.worker();
    }

    void add(LabEvent event) {
        switch (event.kind()) {
            case EXTENDED -> deadline = Math.max(deadline, event.until());
            case CERTAIN -> certainAt = event.at();
            case RELEASING -> {
                certainAt = Math.max(certainAt, event.from());
                deadline = Math.max(deadline, event.until());
                releasingAt = event.at();
                written = event.note();
            }
            case RELEASED -> {
                returnedAt = event.at();
                outcome = event.note();
            }
            case LOST -> lostAt = event.at();
            case LOSS_REPORTED -> cause = event.note();
            default -> {
                // Not about the span of a hold.
            }
        }
    }

    /**
     * The hold.
     *
     * @param kill of its worker, if there was one
     * @param logsEnd when the logs end
     */
    Hold toHold(@Nullable LabEvent kill, long logsEnd) {
        return new Hold(
                acquired.worker(),
                acquired.key(),
                acquired.token(),
                acquired.from(),
                acquired.at(),
                acquired.note(),
                new Hold.Right(deadline, takeOver, certainAt),
                end(kill, logsEnd));
    }

    private Hold.End end(@Nullable LabEvent kill, long logsEnd) {
        if (lostAt != 0 && (releasingAt == 0 || lostAt <= releasingAt)) {
            return new Hold.End(lostAt, Hold.Kind.LOST, cause, returnedAt, written);
        }
        if (releasingAt != 0) {
            String told = outcome.equals("LOST") ? (outcome + ' ' + cause).strip() : outcome;
            return new Hold.End(releasingAt, Hold.Kind.RELEASED, told, returnedAt, written);
        }
        return kill == null
                ? new Hold.End(logsEnd, Hold.Kind.OPEN, "", 0, written)
                : new Hold.End(kill.from(), Hold.Kind.KILLED, "", 0, written);
    }
}
