package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.zookeeper.KeyTurns.Turn;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * What this instance does in the lines of locks: it joins ({@link Attempt}), waits, and leaves.
 *
 * <p>Each method that is given a {@link Turn} is a step of its key, and runs alone for it. An instance waits in a line
 * by one node, its place; each further attempt uses that one.
 */
final class LockLine {

    private final Nodes nodes;
    private final Session session;
    private final KeyTurns turns;
    private final Holds holds;
    private final LockPaths paths;
    private final PredecessorWatch before;
    private final RevocationWatch revocations;

    LockLine(Nodes nodes, Session session, KeyTurns turns, Holds holds, LockPaths paths, ConnectionEvents connection) {
        this.nodes = nodes;
        this.session = session;
        this.turns = turns;
        this.holds = holds;
        this.paths = paths;
        this.before = new PredecessorWatch(nodes, turns, connection);
        this.revocations = new RevocationWatch(nodes, holds, connection);
    }

    Nodes nodes() {
        return nodes;
    }

    Session session() {
        return session;
    }

    Holds holds() {
        return holds;
    }

    PredecessorWatch before() {
        return before;
    }

    RevocationWatch revocations() {
        return revocations;
    }

    String directory(String key) {
        return paths.directory(key);
    }

    CompletableFuture<ReleaseResult> release(Turn turn, ReleaseCommand command) {
        Hold hold = holds.find(command.key(), command.token());
        if (command.endsWait()) {
            boolean hasNothing = hold == null && turn.place == null;
            CompletableFuture<?> left = hasNothing ? serverAnswers(command.key()) : leavePlace(turn);
            CompletableFuture<?> released = hold == null ? left : delete(hold);
            return left.thenCombine(released, (gone, deleted) -> new ReleaseResult.Released(0));
        }
        if (hold == null) {
            return serverAnswers(command.key()).thenApply(answered -> new ReleaseResult.NotHeld());
        }
        if (hold.node.session() != session.current() && session.current() != Session.NONE) {
            lost(hold); // another session is an answer of the servers
            return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
        }
        return command.requeue().isPresent() ? releaseAndRejoin(turn, hold) : releaseOnly(turn, hold);
    }

    /** Looks and deletes at once: the server does one after the other. */
    private CompletableFuture<ReleaseResult> releaseOnly(Turn turn, Hold hold) {
        CompletableFuture<Line> line = nodes.line(hold.node.directory());
        return delete(hold).thenCombine(line, (deleted, before) -> released(deleted, wakesAnother(turn, before, hold)));
    }

    /** Joins the line behind the others before it leaves its place at the head of it. */
    private CompletableFuture<ReleaseResult> releaseAndRejoin(Turn turn, Hold hold) {
        Place old = turn.place;
        return nodes.line(hold.node.directory()).thenCompose(line -> {
            boolean others = line.others(hold.node) - (old != null && line.has(old.node) ? 1 : 0) > 0;
            if (!others) {
                return leavePlace(turn).thenCompose(left -> delete(hold)).thenApply(deleted -> released(deleted, 0));
            }
            return nodes.create(hold.node.directory(), data(hold.id.token()))
                    .thenCompose(node -> {
                        CompletableFuture<?> left = leavePlace(turn);
                        Place place = new Place(node); // known at once: whatever fails, it is left some time
                        turn.place = place;
                        return left.thenCompose(gone -> nodes.line(node.directory()))
                                .thenCompose(now -> before.watch(hold.id.key(), place, now));
                    })
                    .thenCompose(joined -> delete(hold))
                    .thenApply(deleted -> released(deleted, 1));
        });
    }

    private static ReleaseResult released(boolean deleted, int signalled) {
        return deleted ? new ReleaseResult.Released(signalled) : new ReleaseResult.FoundFree();
    }

    /** How many other instances the end of the hold wakes: 0 or 1. */
    private static int wakesAnother(Turn turn, Line line, Hold hold) {
        Place own = turn.place;
        return line.behind(hold.node)
                        .filter(next -> own == null || !own.node.name().equals(next))
                        .isPresent()
                ? 1
                : 0;
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

    /** The session that had it is over for this instance, though the servers may not have noticed yet. */
    void lost(Hold hold) {
        if (holds.remove(hold)) {
            nodes.delete(hold.node.path());
        }
    }

    /** Nobody waits for the attempt any more: what it has is given up, and so is the place of the instance. */
    void leave(Turn turn, AcquireCommand command) {
        Hold hold = holds.find(command.key(), command.token());
        if (hold != null) {
            hold.isReleasing = true;
            lost(hold);
        }
        leavePlace(turn);
    }

    /** In the background, as far as the client can be used. */
    void leaveAll() {
        for (Hold hold : holds.all()) {
            hold.isReleasing = true;
            lost(hold);
        }
        turns.keys().forEach(key -> turns.run(key, this::leavePlace));
    }

    private CompletableFuture<?> leavePlace(Turn turn) {
        Place place = turn.place;
        return place == null ? CompletableFuture.completedFuture(null) : leave(turn, place);
    }

    CompletableFuture<Boolean> leave(Turn turn, Place place) {
        turn.place = null;
        return nodes.delete(place.node.path());
    }

    static byte[] data(LockToken token) {
        return token.value().getBytes(StandardCharsets.UTF_8);
    }
}
