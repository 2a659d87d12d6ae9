package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.zookeeper.Places.Place;
import java.nio.charset.StandardCharsets;
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

    /** By key, the nodes by which instances wait again whose creation has no answer yet. */
    private final ConcurrentMap<String, Joining> rejoining = new ConcurrentHashMap<>();

    private final LockPaths paths;

    LockLine(Nodes nodes, Session session, Holds holds, Places places, LockPaths paths) {
        this.nodes = nodes;
        this.session = session;
        this.holds = holds;
        this.places = places;
        this.paths = paths;
    }

    /**
     * A node that joins a line.
     *
     * @param node completed when it is there
     * @param line what the servers have of the line then
     */
    record Joining(CompletableFuture<LockNode> node, CompletableFuture<Line> line) {}

    String directory(String key) {
        return paths.directory(key);
    }

    /** The look follows the creation on the same connection, without waiting for the answer to it. */
    Joining join(String key, LockToken token) {
        String directory = directory(key);
        long sent = System.nanoTime();
        CompletableFuture<LockNode> created = nodes.create(directory, data(token));
        created.thenAccept(node -> session.executed(node.session(), sent));
        CompletableFuture<Line> seen = nodes.line(directory);
        // The client may have repeated the creation behind the look.
        CompletableFuture<Line> line = created.thenCombine(
                        seen,
                        (node, known) ->
                                known.has(node) ? CompletableFuture.completedFuture(known) : nodes.line(directory))
                .thenCompose(look -> look);
        return new Joining(created, line);
    }

    CompletableFuture<ReleaseResult> release(ReleaseCommand command) {
        String key = command.key();
        Hold hold = holds.find(command.token());
        if (command.endsWait()) {
            rejoining.remove(key);
            boolean hasNothing = hold == null && places.find(key) == null;
            CompletableFuture<?> left = hasNothing ? serverAnswers(key) : places.leave(key);
            CompletableFuture<?> released = hold == null ? left : delete(hold);
            return left.thenCombine(released, (gone, deleted) -> new ReleaseResult.Released(0));
        }
        if (hold == null) {
            return serverAnswers(key).thenApply(answered -> new ReleaseResult.NotHeld());
        }
        if (hold.node.session() != session.current() && session.current() != Session.NONE) {
            holds.lost(hold); // another session is an answer of the servers
            return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
        }
        // Whom the deletion wakes, another command would have to tell.
        return command.requeue().isPresent()
                ? releaseAndRejoin(hold)
                : delete(hold).thenApply(deleted -> released(deleted, 0));
    }

    /** All at once: the next instance is told of the deletion, and this one stands behind all that waited before. */
    private CompletableFuture<ReleaseResult> releaseAndRejoin(Hold hold) {
        CompletableFuture<?> left = places.leave(hold.key); // before it could be this instance that is told
        CompletableFuture<Boolean> deleted = delete(hold);
        Joining joining = join(hold.key, hold.token);
        // The place is known as soon as it is there: whatever fails, it is left some time.
        rejoining.put(hold.key, joining);
        CompletableFuture<Place> place = joining.node().thenApply(node -> rejoined(hold.key, joining, node));
        place.exceptionally(failure -> {
            rejoining.remove(hold.key, joining);
            return null;
        });
        return left.thenCombine(place, (gone, own) -> own)
                .thenCombine(joining.line(), this::stay)
                .thenCompose(signalled -> signalled)
                .thenCombine(deleted, (signalled, gone) -> released(gone, signalled));
    }

    /** A place that is there only after the end of the wait is left at once. */
    private Place rejoined(String key, Joining joining, LockNode node) {
        Place place = places.add(key, node);
        if (!rejoining.remove(key, joining)) {
            places.leave(place);
        }
        return place;
    }

    /** Whether it was others that were signalled. A place behind nobody is given up. */
    private CompletableFuture<Integer> stay(Place place, Line line) {
        if (line.before(place.node).isEmpty()) {
            return places.leave(place).thenApply(left -> 0);
        }
        places.watch(place, line);
        return CompletableFuture.completedFuture(1);
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
