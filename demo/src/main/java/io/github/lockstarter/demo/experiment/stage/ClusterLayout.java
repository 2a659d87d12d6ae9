package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.process.Loopback;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A cluster of three masters with one replica each, as its nodes would have written it down before they were stopped.
 * Nodes that are started with that need not meet first, which takes seconds.
 *
 * @param nodes the masters, then their replicas in the same order
 */
record ClusterLayout(List<Node> nodes) {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16384;
    private static final int ID_LENGTH = 40;

    /**
     * A node.
     *
     * @param index place in the list
     * @param port where it talks to clients
     * @param busPort where it talks to other nodes
     */
    record Node(int index, int port, int busPort) {

        String id() {
            return Integer.toHexString(index + 10).repeat(ID_LENGTH);
        }

        boolean isMaster() {
            return index < MASTERS;
        }

        int shard() {
            return index % MASTERS;
        }
    }

    static ClusterLayout onFreePorts() {
        return new ClusterLayout(IntStream.range(0, 2 * MASTERS)
                .mapToObj(index -> new Node(index, Loopback.freePort(), Loopback.freePort()))
                .toList());
    }

    /** The state file of a node. */
    String stateOf(Node self) {
        String lines = nodes.stream().map(node -> line(node, node.equals(self))).collect(Collectors.joining());
        return lines + "vars currentEpoch " + MASTERS + " lastVoteEpoch 0\n";
    }

    private String line(Node node, boolean self) {
        String role = (self ? "myself," : "")
                + (node.isMaster()
                        ? "master -"
                        : "slave " + nodes.get(node.shard()).id());
        String slots = node.isMaster() ? " " + slotsOf(node.shard()) : "";
        return "%s %s:%d@%d %s 0 0 %d connected%s\n"
                .formatted(node.id(), Loopback.HOST, node.port(), node.busPort(), role, node.shard() + 1, slots);
    }

    private static String slotsOf(int shard) {
        int first = SLOTS * shard / MASTERS;
        int beyond = SLOTS * (shard + 1) / MASTERS;
        return first + "-" + (beyond - 1);
    }
}
