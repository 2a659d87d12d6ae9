package io.github.lockstarter.demo.experiment.deployment;

/** Place of the locks of variant v3. */
public enum LockTopology {
    /** The server of the data. */
    STANDALONE,
    /** A master with two replicas, which instances connect to by address and an operator promotes. */
    MASTER_REPLICA,
    /** A master with two replicas and three sentinels. */
    SENTINEL,
    /** Three masters with one replica each. */
    CLUSTER;
}
