package io.github.lockstarter.zookeeper;

import java.util.concurrent.CompletableFuture;
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

    /** From the answer on, until the hold ends. Without an answer, the hold says that it is not watched. */
    CompletableFuture<?> watch(Hold hold) {
        return nodes.data(hold.node.path(), event -> {
                    if (event.getType() == EventType.NodeDeleted) {
                        takenAway(hold);
                    } else if (event.getType() == EventType.NodeDataChanged) {
                        hold.isWatched = false;
                        watch(hold);
                    }
                })
                .handle((event, failure) -> {
                    hold.isWatched = failure == null;
                    if (failure != null && Nodes.isNoNode(failure)) {
                        takenAway(hold);
                    }
                    return null;
                });
    }

    /** Told before the hold is removed: a renewal that misses it could not say why. */
    private void takenAway(Hold hold) {
        if (!hold.isReleasing && holds.find(hold.id.key(), hold.id.token()) == hold) {
            connection.revoked(hold);
            holds.remove(hold);
        }
    }
}
