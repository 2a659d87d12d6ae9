package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.zookeeper.KeyTurns.Turn;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException;

/**
 * One attempt to get a lock, within the step of its key.
 *
 * <p>It joins the line before it looks at it: the look is at least as new as the node, so that a lock whose release was
 * answered before is seen to be free also on a server that lags behind. If it does not wait, and is not the first, it
 * answers when it has left the line, so that it is in nobody's way. If this instance waits already, the attempt uses
 * its place.
 */
final class Attempt {

    /** What a store of the port may number, so that a double holds it exactly. */
    private static final long LARGEST_FENCING_TOKEN = (1L << 53) - 1;

    private final LockLine lines;
    private final Nodes nodes;
    private final Session session;
    private final Turn turn;
    private final AcquireCommand command;
    private final long sent;
    private final String directory;

    /**
     * An attempt that has not begun.
     *
     * @param lines the lines of all locks
     * @param turn the step
     * @param command what to acquire
     * @param sent when the command was given, in monotonic nanoseconds: the lease counts from then
     */
    Attempt(LockLine lines, Turn turn, AcquireCommand command, long sent) {
        this.lines = lines;
        this.nodes = lines.nodes();
        this.session = lines.session();
        this.turn = turn;
        this.command = command;
        this.sent = sent;
        this.directory = lines.directory(command.key());
    }

    CompletableFuture<AcquireResult> begin() {
        Hold known = lines.holds().find(command.key(), command.token());
        if (known != null) {
            return nodes.line(directory).thenCompose(line -> repeat(known, line));
        }
        Place place = turn.place;
        return place == null ? join() : use(place);
    }

    /** The lock token has the lock already, as far as this instance knows. */
    private CompletableFuture<AcquireResult> repeat(Hold known, Line line) {
        long current = session.current();
        if (current == Session.NONE) {
            return CompletableFuture.failedFuture(new KeeperException.ConnectionLossException());
        }
        if (line.isFirst(known.node) && known.node.session() == current) {
            return session.prove().thenApply(proven -> {
                boolean goesOn = proven.equals(OptionalLong.of(known.node.session()))
                        && known.prolong(sent + command.lease().toNanos());
                if (!goesOn) {
                    throw new CompletionException(new KeeperException.ConnectionLossException());
                }
                return granted(known.node, line);
            });
        }
        lines.lost(known);
        return join();
    }

    private CompletableFuture<AcquireResult> join() {
        return nodes.create(directory, LockLine.data(command.token())).thenCompose(node -> nodes.line(directory)
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
            return done(unavailable("The session with ZooKeeper ended during the attempt"));
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
    private CompletableFuture<AcquireResult> use(Place place) {
        long current = session.current();
        if (current != Session.NONE && current != place.node.session()) {
            lines.leave(turn, place);
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
        return nodes.write(place.node.path(), LockLine.data(command.token()))
                .handle((event, failure) -> {
                    if (failure == null && place.node.session() == session.current()) {
                        turn.place = null;
                        return take(place.node, line);
                    }
                    if (failure == null || Nodes.isNoNode(failure)) {
                        lines.leave(turn, place);
                        return join();
                    }
                    return CompletableFuture.<AcquireResult>failedFuture(Failures.causeOf(failure));
                })
                .thenCompose(next -> next);
    }

    private CompletableFuture<AcquireResult> take(LockNode node, Line line) {
        AcquireResult result = granted(node, line);
        return result instanceof Granted ? hold(node, result) : leave(node, result);
    }

    /** The node was created, or written, after the command was sent: that is its proof of the session. */
    private CompletableFuture<AcquireResult> hold(LockNode node, AcquireResult granted) {
        return session.coversGrant(node.session(), sent).thenCompose(isCovered -> {
            if (!isCovered) {
                return leave(node, unavailable("The session with ZooKeeper is not certain to go on, after a silence"));
            }
            Hold hold = new Hold(
                    new Hold.Id(command.key(), command.token()),
                    node,
                    sent + command.lease().toNanos());
            lines.holds().add(hold);
            lines.revocations().watch(hold);
            return done(granted);
        });
    }

    private CompletableFuture<AcquireResult> leave(LockNode node, AcquireResult result) {
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

    private AcquireResult unavailable(String reason) {
        return new AcquireResult.Unavailable(reason, new IllegalStateException(reason));
    }

    private CompletableFuture<AcquireResult> waitInLine(Place place, Line line) {
        return holder(line)
                .thenCombine(
                        lines.before().watch(command.key(), place, line),
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

    private static <R> CompletableFuture<R> done(R result) {
        return CompletableFuture.completedFuture(result);
    }
}
