package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.zookeeper.Places.Place;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock.
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
    private final AcquireCommand command;
    private final long sent;
    private final String directory;
    private volatile @Nullable CompletableFuture<LockNode> created;
    private volatile @Nullable Place place;
    private volatile boolean isGivenUp;

    /**
     * An attempt that has not begun.
     *
     * @param lines the lines of all locks
     * @param command what to acquire
     * @param sent when the command was given, in monotonic nanoseconds: the lease counts from then
     */
    Attempt(LockLine lines, AcquireCommand command, long sent) {
        this.lines = lines;
        this.command = command;
        this.sent = sent;
        this.directory = lines.directory(command.key());
    }

    CompletableFuture<AcquireResult> begin() {
        Hold known = lines.holds.find(command.token());
        Place waiting = lines.places.find(command.key());
        CompletableFuture<AcquireResult> result =
                known != null ? repeat(known) : waiting == null ? join() : use(waiting);
        return result.whenComplete((answer, failure) -> {
            if (isGivenUp) {
                giveUp(); // what it has got since
            }
        });
    }

    /** Nobody waits for the outcome any more: what this attempt has, or is about to get, is left. */
    void giveUp() {
        isGivenUp = true;
        Hold hold = lines.holds.find(command.token());
        if (hold != null) {
            lines.holds.lost(hold);
        }
        Place used = place;
        if (used != null) {
            lines.places.leave(used);
        }
        CompletableFuture<LockNode> mine = created;
        if (mine != null) {
            mine.thenAccept(node -> lines.nodes.delete(node.path()));
        }
    }

    /** The lock token has the lock already, as far as this instance knows. */
    private CompletableFuture<AcquireResult> repeat(Hold known) {
        return lines.nodes
                .line(directory)
                .thenCombine(lines.session.prove(), (line, proven) -> {
                    if (proven.isEmpty()) {
                        throw Failures.withoutProof();
                    }
                    boolean goesOn = proven.getAsLong() == known.node.session()
                            && line.isFirst(known.node)
                            && lines.holds.prolong(known, sent + command.lease().toNanos());
                    if (goesOn) {
                        return done(granted(known.node, line));
                    }
                    lines.holds.lost(known);
                    return join();
                })
                .thenCompose(next -> next);
    }

    /** The look follows the creation on the same connection, without waiting for the answer to it. */
    private CompletableFuture<AcquireResult> join() {
        CompletableFuture<LockNode> mine = lines.nodes.create(directory, LockLine.data(command.token()));
        created = mine;
        return mine.thenCombine(lines.nodes.line(directory), this::joined).thenCompose(next -> next);
    }

    private CompletableFuture<AcquireResult> joined(LockNode node, Line line) {
        // The client may have repeated the creation behind the look.
        return line.has(node)
                ? decide(node, line)
                : lines.nodes.line(directory).thenCompose(later -> decide(node, later));
    }

    private CompletableFuture<AcquireResult> decide(LockNode node, Line line) {
        if (isGivenUp) {
            return leave(node, unavailable("Nobody waits for this attempt any more"));
        }
        if (line.isFirst(node)) {
            return takeNew(node, line);
        }
        if (!line.has(node)) {
            return done(unavailable("The session with ZooKeeper ended during the attempt"));
        }
        if (command.waiting().isPresent()) {
            Place added = lines.places.add(command.key(), node);
            place = added;
            return behind(added, line);
        }
        CompletableFuture<Optional<LockHolder>> holder = holder(line);
        return lines.nodes.delete(node.path()).thenCombine(holder, (gone, found) -> contended(Waiting.NEW, found));
    }

    /** The node was created after the command was sent: that is its proof of the session. */
    private CompletableFuture<AcquireResult> takeNew(LockNode node, Line line) {
        return lines.session.coversGrant(node.session(), sent).thenCompose(isCovered -> {
            if (!isCovered) {
                return leave(node, unavailable("The session with ZooKeeper is not certain to go on, after a silence"));
            }
            return take(node, line);
        });
    }

    /**
     * To write the lock token proves that the session goes on, and that no operator has taken the lock away. The look
     * at the line is sent right behind it. The place is that of a session: the servers may still know one that was
     * replaced, and with another one it is nobody's.
     */
    private CompletableFuture<AcquireResult> use(Place waiting) {
        place = waiting;
        CompletableFuture<Optional<LockNode>> written =
                lines.nodes.write(waiting.node.path(), LockLine.data(command.token()));
        return written.thenCombine(lines.nodes.line(directory), (node, line) -> node.filter(
                                own -> own.session() == lines.session.current() && line.has(own))
                        .map(own -> line.isFirst(own) ? claim(waiting, own, line) : behind(waiting, line))
                        .orElseGet(() -> rejoin(waiting)))
                .thenCompose(next -> next);
    }

    private CompletableFuture<AcquireResult> claim(Place waiting, LockNode node, Line line) {
        return lines.session
                .coversGrant(node.session(), sent)
                .thenCompose(
                        isCovered -> isCovered && lines.places.granted(waiting) ? take(node, line) : rejoin(waiting));
    }

    private CompletableFuture<AcquireResult> rejoin(Place waiting) {
        lines.places.leave(waiting);
        return join();
    }

    private CompletableFuture<AcquireResult> behind(Place waiting, Line line) {
        line.before(waiting.node).ifPresent(name -> lines.places.watch(waiting, name));
        long position = command.waiting().isPresent() ? line.position(waiting.node) : Waiting.NEW;
        return holder(line).thenApply(holder -> contended(position, holder));
    }

    private CompletableFuture<AcquireResult> take(LockNode node, Line line) {
        AcquireResult result = granted(node, line);
        if (!(result instanceof Granted)) {
            return leave(node, result);
        }
        long leaseEnd = sent + command.lease().toNanos();
        lines.holds.add(new Hold(command.key(), command.token(), node, line.lastBehind(node), leaseEnd));
        return done(result);
    }

    private CompletableFuture<AcquireResult> leave(LockNode node, AcquireResult result) {
        return lines.nodes.delete(node.path()).thenApply(gone -> result);
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
        return new Granted(node.czxid(), line.names().size() - 1);
    }

    private AcquireResult rejected(String reason) {
        return new AcquireResult.Rejected(reason, new IllegalStateException(reason));
    }

    private AcquireResult unavailable(String reason) {
        return new AcquireResult.Unavailable(reason, new IllegalStateException(reason));
    }

    private CompletableFuture<Optional<LockHolder>> holder(Line line) {
        return line.first()
                .map(first -> lines.nodes
                        .data(directory + '/' + first)
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
