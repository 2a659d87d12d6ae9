package io.github.lockstarter.zookeeper;

import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Has a waiting instance told when the node right before its own is gone, and signals it when its own is the first
 * one. Thread-safe; what it changes of a place, it changes in a step of the key.
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
        return nodes.data(place.node.directory() + '/' + before, event -> nodeBeforeChanged(key, place, event))
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

    private void nodeBeforeChanged(String key, Place place, WatchedEvent event) {
        if (event.getType() == EventType.NodeDeleted || event.getType() == EventType.NodeDataChanged) {
            turns.run(key, turn -> {
                place.watched = null;
                return lookAgain(turn, key, place);
            });
        }
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
