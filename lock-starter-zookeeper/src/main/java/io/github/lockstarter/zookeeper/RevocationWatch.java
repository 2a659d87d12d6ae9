package io.github.lockstarter.zookeeper;

import org.apache.zookeeper.Watcher.Event.EventType;

/** Has the owner of a lock told when somebody else deletes its node. Thread-safe. */
final class RevocationWatch {

    private final Nodes nodes;
    private final Holds holds;
    private final ConnectionEvents connection;

    RevocationWatch(Nodes nodes, Holds holds, ConnectionEvents connection) {
        this.nodes = nodes;
        this.holds = holds;
        this.connection = connection;
    }

    /** From now on, until the hold ends. */
    void watch(Hold hold) {
        nodes.data(hold.node.path(), event -> {
                    if (event.getType() == EventType.NodeDeleted) {
                        takenAway(hold);
                    } else if (event.getType() == EventType.NodeDataChanged) {
                        watch(hold);
                    }
                })
                .whenComplete((event, failure) -> {
                    if (failure != null && Nodes.isNoNode(failure)) {
                        takenAway(hold);
                    }
                });
    }

    private void takenAway(Hold hold) {
        if (!hold.isReleasing && holds.remove(hold)) {
            connection.revoked(hold);
        }
    }
}
