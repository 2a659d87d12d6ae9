package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import io.github.lockstarter.zookeeper.KeyTurns.Turn;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * What this instance does in the lines of locks: it joins, waits, and leaves.
 *
 * <p>Each method that is given a {@link Turn} is a step of its key, and runs alone for it. An instance waits in a line by
 * one node, its place; each further attempt uses that one. An attempt that does not wait leaves the line at once unless
 * it is the first, and answers when it has left, so that it is in nobody's way.
 *
 * <p>An attempt joins before it looks: the look is at least as new as the node, so that a lock whose release was
 * answered before is seen to be free also on a server that lags behind.
 */
final class LockLine {

    /** What a store of the port may number, so that a double holds it exactly. */
    private static final long LARGEST_FENCING_TOKEN = (1L << 53) - 1;

    private final Nodes nodes;
    private final Session session;
    private final KeyTurns turns;
    private final Holds holds;
    private final LockPaths paths;
    private final ConnectionEvents connection;

    LockLine(Nodes nodes, Session session, KeyTurns turns, Holds holds, LockPaths paths, ConnectionEvents connection) {
        this.nodes = nodes;
        this.session = session;
        this.turns = turns;
        this.holds = holds;
        this.paths = paths;
        this.connection = connection;
    }

    CompletableFuture<AcquireResult> acquire(Turn turn, AcquireCommand command, long sent) {
        Hold known = holds.find(command.key(), command.token());
        Attempt attempt = new Attempt(turn, command, sent);
        if (known != null) {
            return nodes.line(attempt.directory).thenCompose(line -> attempt.repeat(known, line));
        }
        Place place = turn.place;
        return place == null ? attempt.join() : attempt.useOrRenew(place);
    }

    /** One attempt, in the step that belongs to it. */
    private final class Attempt {

        private final Turn turn;
        private final AcquireCommand command;
        private final long sent;
        private final String directory;

        Attempt(Turn turn, AcquireCommand command, long sent) {
            this.turn = turn;
            this.command = command;
            this.sent = sent;
            this.directory = paths.directory(command.key());
        }

        CompletableFuture<AcquireResult> repeat(Hold known, Line line) {
            if (line.isFirst(known.node) && known.node.session() == session.current()) {
                return done(granted(known.node, line));
            }
            if (holds.remove(known)) {
                nodes.delete(known.node.path());
            }
            return join();
        }

        CompletableFuture<AcquireResult> join() {
            return nodes.create(directory, data(command.token())).thenCompose(node -> nodes.line(directory)
                    .handle((line, failure) -> {
                        if (failure == null) {
                            return joined(node, line);
                        }
                        nodes.delete(node.path());
                        return CompletableFuture.<AcquireResult>failedFuture(Failures.causeOf(failure));
                    })
                    .thenCompose(next -> next));
        }

        private CompletableFuture<AcquireResult> joined(LockNode node, Line line) {
            if (line.isFirst(node)) {
                return take(node, line);
            }
            if (!line.has(node)) {
                return done(sessionOver());
            }
            if (command.waiting().isPresent()) {
                Place place = new Place(node);
                turn.place = place;
                return waitInLine(place, line);
            }
            CompletableFuture<Boolean> left = nodes.delete(node.path());
            return holder(line).thenCombine(left, (holder, gone) -> contended(Waiting.NEW, holder));
        }

        /** The place is that of a session: with another one, it is nobody's. */
        CompletableFuture<AcquireResult> useOrRenew(Place place) {
            if (place.node.session() != session.current()) {
                leave(turn, place);
                return join();
            }
            return nodes.line(directory).thenCompose(line -> {
                if (!line.has(place.node)) {
                    turn.place = null;
                    return join();
                }
                if (line.isFirst(place.node)) {
                    return claim(place, line);
                }
                return command.waiting().isPresent()
                        ? waitInLine(place, line)
                        : holder(line).thenApply(holder -> contended(Waiting.NEW, holder));
            });
        }

        /** To write the lock token also proves that the session goes on, which a look at the line does not. */
        private CompletableFuture<AcquireResult> claim(Place place, Line line) {
            return nodes.write(place.node.path(), data(command.token()))
                    .handle((event, failure) -> {
                        if (failure == null && place.node.session() == session.current()) {
                            turn.place = null;
                            return take(place.node, line);
                        }
                        if (failure == null || Nodes.isNoNode(failure)) {
                            leave(turn, place);
                            return join();
                        }
                        return CompletableFuture.<AcquireResult>failedFuture(Failures.causeOf(failure));
                    })
                    .thenCompose(next -> next);
        }

        private CompletableFuture<AcquireResult> take(LockNode node, Line line) {
            AcquireResult result = granted(node, line);
            if (result instanceof Granted) {
                Hold hold = new Hold(
                        new Hold.Id(command.key(), command.token()),
                        node,
                        sent + command.lease().toNanos());
                holds.add(hold);
                watchOver(hold);
                return done(result);
            }
            return nodes.delete(node.path()).thenApply(gone -> result);
        }

        private AcquireResult granted(LockNode node, Line line) {
            if (command.fencingTokens() > 1) {
                return rejected("One grant in ZooKeeper covers one fencing token, not " + command.fencingTokens());
            }
            if (node.czxid() <= command.fencingFloor() || node.czxid() > LARGEST_FENCING_TOKEN) {
                return rejected("ZooKeeper numbers the grant " + node.czxid() + ", which is not above "
                        + command.fencingFloor()
                        + " and below 2^53, so it would not be the greatest fencing token of the"
                        + " lock. The servers have lost their data, or the lock was kept elsewhere before: restart the"
                        + " applications, and reset what compares fencing tokens");
            }
            return new Granted(node.czxid(), line.others(node));
        }

        private AcquireResult rejected(String reason) {
            return new AcquireResult.Rejected(reason, new IllegalStateException(reason));
        }

        private AcquireResult sessionOver() {
            String reason = "The session with ZooKeeper ended during the attempt";
            return new AcquireResult.Unavailable(reason, new IllegalStateException(reason));
        }

        private CompletableFuture<AcquireResult> waitInLine(Place place, Line line) {
            return holder(line)
                    .thenCombine(
                            watchTheNodeBefore(command.key(), place, line),
                            (holder, watched) -> contended(place.node.czxid(), holder));
        }

        private CompletableFuture<Optional<LockHolder>> holder(Line line) {
            return line.first()
                    .map(first -> nodes.data(directory + '/' + first)
                            .handle((event, failure) -> failure == null
                                    ? LockInspector.namedHolderIn(event.getData())
                                    : Optional.<LockHolder>empty()))
                    .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
        }

        private AcquireResult contended(long position, Optional<LockHolder> holder) {
            return new Contended(Optional.empty(), position, holder);
        }
    }

    /** Has this instance told when the node before is gone; the future ends when the server knows that. */
    private CompletableFuture<?> watchTheNodeBefore(String key, Place place, Line line) {
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
    private CompletableFuture<?> lookAgain(Turn turn, String key, Place place) {
        if (turn.place != place) {
            return CompletableFuture.completedFuture(null);
        }
        return nodes.line(place.node.directory()).thenCompose(line -> {
            if (line.isFirst(place.node) || !line.has(place.node)) {
                connection.signal(key);
                return CompletableFuture.completedFuture(null);
            }
            return watchTheNodeBefore(key, place, line);
        });
    }

    /** Has this instance told when somebody else deletes its node. */
    private void watchOver(Hold hold) {
        nodes.data(hold.node.path(), event -> {
                    if (event.getType() == EventType.NodeDeleted) {
                        takenAway(hold);
                    } else if (event.getType() == EventType.NodeDataChanged) {
                        watchOver(hold);
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

    CompletableFuture<ReleaseResult> release(Turn turn, ReleaseCommand command) {
        Hold hold = holds.find(command.key(), command.token());
        if (hold == null) {
            return done(new ReleaseResult.NotHeld());
        }
        if (hold.node.session() != session.current() && session.current() != Session.NONE) {
            lost(hold);
            return done(new ReleaseResult.NotHeld());
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
                    .thenCompose(node -> leavePlace(turn).thenCompose(left -> {
                        Place place = new Place(node);
                        turn.place = place;
                        return nodes.line(node.directory())
                                .thenCompose(now -> watchTheNodeBefore(hold.id.key(), place, now));
                    }))
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

    CompletableFuture<WithdrawResult> withdraw(Turn turn, WithdrawCommand command) {
        Hold hold = holds.find(command.key(), command.token());
        CompletableFuture<?> released = hold == null ? CompletableFuture.completedFuture(null) : delete(hold);
        return leavePlace(turn).thenCombine(released, (left, gone) -> new WithdrawResult.Withdrawn());
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

    private CompletableFuture<Boolean> leave(Turn turn, Place place) {
        turn.place = null;
        return nodes.delete(place.node.path());
    }

    private static byte[] data(LockToken token) {
        return token.value().getBytes(StandardCharsets.UTF_8);
    }

    private static <R> CompletableFuture<R> done(R result) {
        return CompletableFuture.completedFuture(result);
    }
}
