package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.zookeeper.Places.Place;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What this instance does in the lines of locks: it joins ({@link Attempt}), waits ({@link Places}), and leaves.
 *
 * <p>Thread-safe. The engine sends one command at a time about the owner of a key, but for an attempt that may follow a
 * release without an answer: the servers execute them in their order. What an attempt goes on to do after its time is
 * over concerns its own nodes alone.
 */
final class LockLine {

    final Nodes nodes;
    final Session session;
    final Holds holds;
    final Places places;

    /** By key, the holds that were released by a command with which this instance waits again, until its answer. */
    private final ConcurrentMap<String, Hold> rejoining = new ConcurrentHashMap<>();

    private final LockPaths paths;

    LockLine(Nodes nodes, Session session, Holds holds, Places places, LockPaths paths) {
        this.nodes = nodes;
        this.session = session;
        this.holds = holds;
        this.places = places;
        this.paths = paths;
    }

    String directory(String key) {
        return paths.directory(key);
    }

    CompletableFuture<ReleaseResult> release(ReleaseCommand command) {
        String key = command.key();
        Hold hold = holds.find(command.token());
        if (command.endsWait()) {
            holds.leave(rejoining.remove(key));
            boolean hasNothing = hold == null && places.find(key) == null;
            CompletableFuture<?> left = hasNothing ? serverAnswers(key) : places.leave(key);
            CompletableFuture<?> released = hold == null ? left : delete(hold);
            return left.thenCombine(released, (gone, deleted) -> new ReleaseResult.Released(0));
        }
        if (hold == null) {
            return serverAnswers(key).thenApply(answered -> new ReleaseResult.NotHeld());
        }
        holds.leave(rejoining.remove(key, hold) ? hold : null); // the release is sent again
        if (hold.node.session() != session.current() && session.current() != Session.NONE) {
            holds.lost(hold); // another session is an answer of the servers
            return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
        }
        // Whom the deletion wakes, another command would have to tell.
        return command.requeue().isPresent()
                ? releaseAndRejoin(hold)
                : delete(hold).thenApply(deleted -> released(deleted, 0));
    }

    /**
     * In one step: the next instance is told of the deletion, and this one stands behind all that waited before. Of
     * those, it watches the last one that it knows: if another one has come since, it looks again when it is signalled.
     */
    private CompletableFuture<ReleaseResult> releaseAndRejoin(Hold hold) {
        CompletableFuture<?> left = places.leave(hold.key); // before it could be this instance that is told
        hold.isReleasing = true;
        holds.leave(rejoining.put(hold.key, hold));
        return lastBehind(hold)
                .thenCompose(last -> last.isEmpty() ? releaseAlone(hold) : rejoin(hold, last.get(), left))
                .exceptionallyCompose(failure -> notReplaced(hold, failure));
    }

    private CompletableFuture<Optional<String>> lastBehind(Hold hold) {
        return hold.lastBehind.isPresent()
                ? CompletableFuture.completedFuture(hold.lastBehind)
                : nodes.line(directory(hold.key)).thenApply(line -> line.lastBehind(hold.node));
    }

    /** Behind nobody there is no place. */
    private CompletableFuture<ReleaseResult> releaseAlone(Hold hold) {
        return delete(hold).thenApply(deleted -> {
            rejoining.remove(hold.key, hold);
            return released(deleted, 0);
        });
    }

    private CompletableFuture<ReleaseResult> rejoin(Hold hold, String last, CompletableFuture<?> left) {
        return nodes.replace(hold.node, data(hold.token)).thenCombine(left, (node, gone) -> rejoined(hold, node, last));
    }

    /** A place that is there only after the end of the wait is left at once. */
    private ReleaseResult rejoined(Hold hold, LockNode node, String last) {
        holds.remove(hold);
        Place place = places.add(hold.key, node);
        if (rejoining.remove(hold.key, hold)) {
            places.watch(place, last);
        } else {
            places.leave(place);
        }
        return released(true, 1);
    }

    private CompletableFuture<ReleaseResult> notReplaced(Hold hold, Throwable failure) {
        boolean isRejoining = rejoining.remove(hold.key, hold);
        if (Nodes.isNoNode(failure)) {
            holds.remove(hold);
            return CompletableFuture.completedFuture(released(false, 0));
        }
        holds.leave(isRejoining ? hold : null);
        return CompletableFuture.failedFuture(failure);
    }

    private static ReleaseResult released(boolean deleted, int signalled) {
        return deleted ? new ReleaseResult.Released(signalled) : new ReleaseResult.FoundFree();
    }

    /** The hold stays known until there is an answer: the release may be sent again. */
    private CompletableFuture<Boolean> delete(Hold hold) {
        hold.isReleasing = true;
        return nodes.delete(hold.node.path()).thenApply(deleted -> {
            holds.remove(hold);
            return deleted;
        });
    }

    /** What this instance knows without asking is an answer only while there is a store that gives one. */
    private CompletableFuture<?> serverAnswers(String key) {
        return nodes.exists(directory(key));
    }

    /** In the background, as far as the client can be used. */
    void leaveAll() {
        holds.all().forEach(holds::lost);
        places.leaveAll();
    }

    static byte[] data(LockToken token) {
        return token.value().getBytes(StandardCharsets.UTF_8);
    }
}
