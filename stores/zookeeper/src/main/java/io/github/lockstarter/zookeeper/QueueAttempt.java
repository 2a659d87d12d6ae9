package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock. It joins the queue before it reads it: the snapshot is at least as new as the node, so
 * even a server that lags behind shows a lock as free whose release was answered before. An attempt that does not wait
 * leaves the queue before it answers. If this instance already waits, the attempt uses its node.
 */
final class QueueAttempt {

    /** The port's limit, so that a double represents every fencing token exactly. */
    private static final long MAX_FENCING_TOKEN = (1L << 53) - 1;

    private final OwnNodes own;
    private final NodeCalls calls;
    private final Session session;
    private final String queue;
    private final AcquireCommand command;

    /** In the names of its nodes. */
    private final String name = UUID.randomUUID().toString();

    /** The lease starts here. */
    private final long sent = System.nanoTime();

    private volatile @Nullable CompletableFuture<OwnNode> node;
    private volatile boolean givenUp;

    QueueAttempt(OwnNodes own, Session session, String queue, AcquireCommand command) {
        this.own = own;
        this.calls = own.calls;
        this.session = session;
        this.queue = queue;
        this.command = command;
    }

    CompletableFuture<AcquireResult> begin() {
        OwnNode usable = own.usableBy(command.token(), queue);
        return usable == null ? join() : use(usable);
    }

    /** After an unknown outcome: leaves the queue, now or as soon as the node is created. */
    void giveUp() {
        givenUp = true; // before the field is read, which join() sets first
        CompletableFuture<OwnNode> mine = node;
        if (mine != null) {
            mine.thenAccept(own::leave);
            mine.whenComplete((created, failure) -> own.deleteNodesOf(name, queue)); // copies of it, too
        }
    }

    /** Sends the read right behind the creation, without waiting for its answer. */
    private CompletableFuture<AcquireResult> join() {
        CompletableFuture<OwnNode> mine =
                calls.create(queue, name, command.token()).thenApply(created -> new OwnNode(command.key(), created));
        node = mine;
        if (givenUp) {
            giveUp();
        }
        mine.whenComplete((created, failure) -> {
            if (failure != null && !NodeCalls.isNoNode(failure)) {
                own.deleteNodesOf(name, queue);
            }
        });
        return mine.thenCombine(calls.queue(queue), this::joined).thenCompose(next -> next);
    }

    private CompletableFuture<AcquireResult> joined(OwnNode mine, QueueSnapshot seen) {
        // The client may have repeated the creation behind the read.
        return seen.has(mine.node) ? decide(mine, seen) : calls.queue(queue).thenCompose(later -> decide(mine, later));
    }

    private CompletableFuture<AcquireResult> decide(OwnNode mine, QueueSnapshot seen) {
        if (!seen.has(mine.node)) {
            return done(unavailable("The session with ZooKeeper ended during the attempt"));
        }
        List<String> copies = seen.createdBy(name).stream()
                .filter(each -> !each.equals(mine.node.name()))
                .toList();
        if (!copies.isEmpty()) {
            return calls.deleteAll(queue, copies)
                    .thenCompose(deleted -> calls.queue(queue))
                    .thenCompose(later -> decide(mine, later));
        }
        if (seen.isFirst(mine.node)) {
            return claim(mine, mine.node, seen);
        }
        if (command.waiting().isPresent()) {
            own.enqueue(mine);
            return behind(mine, seen);
        }
        return own.leave(mine).thenCombine(holder(seen), (gone, holder) -> contended(Waiting.NEW, holder));
    }

    /**
     * The write of the lock token proves that the session continues, and that no operator has revoked the lock; the
     * read is sent right behind it. A node of a replaced session may still exist without an owner.
     */
    private CompletableFuture<AcquireResult> use(OwnNode mine) {
        node = CompletableFuture.completedFuture(mine);
        return calls.write(mine.node.path(), command.token())
                .thenCombine(calls.queue(queue), (written, seen) -> written.filter(
                                found -> found.session() == session.current() && seen.has(found))
                        .map(found -> seen.isFirst(found) ? claim(mine, found, seen) : behind(mine, seen))
                        .orElseGet(() -> joinAgain(mine)))
                .thenCompose(next -> next);
    }

    private CompletableFuture<AcquireResult> joinAgain(OwnNode mine) {
        own.leave(mine);
        return join();
    }

    private CompletableFuture<AcquireResult> behind(OwnNode mine, QueueSnapshot seen) {
        seen.before(mine.node).ifPresent(name -> own.watchBefore(mine, name));
        long position = command.waiting().isPresent() ? seen.position(mine.node) : Waiting.NEW;
        return holder(seen).thenApply(holder -> contended(position, holder));
    }

    /** The node was created or written after the command was given, which proves the session. */
    private CompletableFuture<AcquireResult> claim(OwnNode mine, LockNode proven, QueueSnapshot seen) {
        return session.coversGrant(proven.session(), sent).thenCompose(isCovered -> {
            AcquireResult result = isCovered
                    ? granted(proven, seen)
                    : unavailable("The session with ZooKeeper is not certain to go on, after a silence");
            if (!(result instanceof Granted)) {
                return own.leave(mine).thenApply(gone -> result);
            }
            long leaseEnd = sent + command.lease().toNanos();
            return done(
                    own.grant(mine, command.token(), proven, seen, leaseEnd)
                            ? result
                            : unavailable("The attempt in ZooKeeper was given up"));
        });
    }

    private AcquireResult granted(LockNode proven, QueueSnapshot seen) {
        if (command.fencingTokens() > 1) {
            return rejected("One grant in ZooKeeper covers one fencing token, not " + command.fencingTokens());
        }
        if (proven.czxid() <= command.fencingFloor() || proven.czxid() > MAX_FENCING_TOKEN) {
            return rejected("ZooKeeper numbers the grant " + proven.czxid() + ", which is not above "
                    + command.fencingFloor()
                    + " and below 2^53, so it would not be the greatest fencing token of the"
                    + " lock. The servers have lost their data, or the lock was kept elsewhere before: restart the"
                    + " applications, and reset what compares fencing tokens");
        }
        return new Granted(proven.czxid(), seen.names().size() - 1);
    }

    private AcquireResult rejected(String reason) {
        return new AcquireResult.Rejected(reason, new IllegalStateException(reason));
    }

    private AcquireResult unavailable(String reason) {
        return new AcquireResult.Unavailable(reason, new IllegalStateException(reason));
    }

    private CompletableFuture<Optional<LockHolder>> holder(QueueSnapshot seen) {
        return seen.first()
                .map(first -> calls.data(queue + '/' + first)
                        .handle((event, failure) ->
                                failure == null ? NodeInspector.namedHolderIn(event) : Optional.<LockHolder>empty()))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private AcquireResult contended(long position, Optional<LockHolder> holder) {
        return new Contended(Optional.empty(), position, holder, false);
    }

    private static <R> CompletableFuture<R> done(R result) {
        return CompletableFuture.completedFuture(result);
    }
}
