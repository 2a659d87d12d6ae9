package io.github.lockstarter.spi;

/** Condition of a take-over, in addition to the take-over time. */
public enum TakeOverCondition {

    /** None: a server that loses unsaved or unreplicated data may forget the take-over. */
    NONE,

    /**
     * Every replica that may become the master records the take-over before the lock is granted, so after a failover
     * the owner still detects it.
     */
    ACKNOWLEDGED_BY_REPLICAS
}
