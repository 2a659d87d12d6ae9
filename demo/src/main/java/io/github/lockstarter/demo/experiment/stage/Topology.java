package io.github.lockstarter.demo.experiment.stage;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Where the locks of variant v3 are kept. */
public enum Topology {
    /** One server, the one that has the data as well. */
    STANDALONE,
    /** A master with three replicas, which the instances know by their addresses; an operator promotes one. */
    MASTER_REPLICA,
    /** A master with three replicas, and three sentinels that promote one. */
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
     * The names of all.
     *
     * @return with commas and blanks between them
     */
    public static String ids() {
        return Arrays.stream(values()).map(Topology::id).collect(Collectors.joining(", "));
    }

    /**
     * What it is called on the command line and in JSON.
     *
     * @return such as {@code master-replica}
     */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
