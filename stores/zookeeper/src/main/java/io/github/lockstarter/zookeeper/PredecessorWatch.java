package io.github.lockstarter.zookeeper;

import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Has a waiting instance told when the node right before its own is gone, and signals it when its own is the first
 * one. Thread-safe; what it changes of a place, it changes in a step of the key.
 *
 * <p>The client keeps a watcher until its node is gone, which may be long after the wait. Of equal watchers of a node
 * it keeps one, and those of one key are equal.
 */
final class PredecessorWatch {

    private final Nodes nodes;
    private final KeyTurns turns;
    private final ConnectionEvents connection;

    PredecessorWatch(Nodes nodes, KeyTurns turns, ConnectionEvents connection) {
        this.nodes = nodes;
        this.turns = turns;
        this.connection = connection;
    }

    /** Within a step of the key. The future is complete when the server knows of the watch. */
    CompletableFuture<?> watch(String key, Place place, Line line) {
        String before = line.before(place.node).orElse(null);
        if (before == null || before.equals(place.watched)) {
            return CompletableFuture.completedFuture(null);
        }
        place.watched = before;
        return nodes.data(place.node.directory() + '/' + before, new NodeBefore(this, key))
                .handle((event, failure) -> {
                    if (failure != null) {
                        place.watched = null;
                    }
                    if (failure != null && Nodes.isNoNode(failure)) {
                        turns.run(key, turn -> lookAgain(turn, key, place));
                    }
                    return null;
                });
    }

    /** The same for all places of this instance in the line of a key. */
    private record NodeBefore(PredecessorWatch owner, String key) implements Watcher {

        @Override
        public void process(WatchedEvent event) {
            if (event.getType() == EventType.NodeDeleted || event.getType() == EventType.NodeDataChanged) {
                owner.turns.run(key, turn -> owner.changed(turn, key, event.getPath()));
            }
        }
    }

    private CompletableFuture<?> changed(KeyTurns.Turn turn, String key, String path) {
        Place place = turn.place;
        if (place == null || place.watched == null || !path.endsWith('/' + place.watched)) {
            return CompletableFuture.completedFuture(null); // watched by a wait that is over
        }
        place.watched = null;
        return lookAgain(turn, key, place);
    }

    /** The node before is gone: either this instance is the first one now, or another waiter has left. */
    private CompletableFuture<?> lookAgain(KeyTurns.Turn turn, String key, Place place) {
        if (turn.place != place) {
            return CompletableFuture.completedFuture(null);
        }
        return nodes.line(place.node.directory()).thenCompose(line -> {
            if (line.isFirst(place.node) || !line.has(place.node)) {
                connection.signal(key);
                return CompletableFuture.completedFuture(null);
            }
            return watch(key, place, line);
        });
    }
}
