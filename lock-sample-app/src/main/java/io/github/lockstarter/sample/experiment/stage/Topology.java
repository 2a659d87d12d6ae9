package io.github.lockstarter.sample.experiment.stage;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Where the locks of variant v3 are kept. */
public enum Topology {
    /** One server, the one that has the data as well. */
    STANDALONE,
    /** A master with two replicas, and three sentinels. */
    SENTINEL,
    /** A cluster of three masters with a replica each. */
    CLUSTER;

    /**
     * The topology of that name.
     *
     * @param id such as {@code sentinel}
     * @return the topology, if there is one
     */
    public static Optional<Topology> of(String id) {
        return Arrays.stream(values())
                .filter(topology -> topology.id().equals(id))
                .findFirst();
    }

    /**
     * What it is called on the command line and in JSON.
     *
     * @return such as {@code sentinel}
     */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
