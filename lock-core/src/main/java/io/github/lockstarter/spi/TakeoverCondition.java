package io.github.lockstarter.spi;

/** Condition of a takeover, in addition to the takeover time. */
public enum TakeoverCondition {

    /** None: a server that loses unsaved or unreplicated data may forget the takeover. */
    NONE,

    /**
     * Every replica that may become the master records the takeover before the lock is granted, so after a failover
     * the owner still detects it.
     */
    ACKNOWLEDGED_BY_REPLICAS
}
