package io.github.lockstarter.spi;

/** On what the take-over of a lock depends, beside the take-over time. */
public enum TakeOverCondition {

    /** On nothing: a server that forgets what it has not saved or replicated may forget the take-over. */
    NONE,

    /**
     * On every replica that may become the master: all of them have the trace of the take-over before the lock is
     * granted. So after a failover the owner learns of each take-over that counts.
     */
    ACKNOWLEDGED_BY_REPLICAS
}
