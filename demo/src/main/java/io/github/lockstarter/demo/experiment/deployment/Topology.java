package io.github.lockstarter.demo.experiment.deployment;

/** Where the locks of variant v3 are kept. */
public enum Topology {
    /** One server, the one that has the data as well. */
    STANDALONE,
    /** A master with two replicas, which the instances know by their addresses; an operator promotes one. */
    MASTER_REPLICA,
    /** A master with two replicas, and three sentinels that promote one. */
    SENTINEL,
    /** A cluster of three masters with a replica each. */
    CLUSTER;
}
