package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.zookeeper.OwnNode.State;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Releases locks and ends waits. The engine repeats a release whose outcome is unknown. Thread-safe. */
final class NodeReleaser {

    private final OwnNodes own;
    private final NodeCalls calls;
    private final Session session;
    private final LockPaths paths;

    NodeReleaser(OwnNodes own, Session session, LockPaths paths) {
        this.own = own;
        this.calls = own.calls;
        this.session = session;
        this.paths = paths;
    }

    CompletableFuture<ReleaseResult> releaseNode(ReleaseCommand command) {
        String queue = paths.directory(command.key());
        if (command.endsWait()) {
            return endWait(command, queue);
        }
        OwnNode held = own.find(queue, command.token());
        if (held == null) {
            return answer(queue).thenApply(answered -> new ReleaseResult.NotHeld());
        }
        if (held.node.session() != session.current() && session.current() != Session.NONE) {
            own.leave(held); // the replacement of the session is an answer of the servers
            return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
        }
        if (!own.beginRelease(held)) {
            return own.leave(held).thenApply(deleted -> released(deleted, 0));
        }
        return command.requeue().isPresent() ? releaseAndWait(held, command.token()) : delete(held);
    }

    /** Leaves with every node but those of other holds. */
    private CompletableFuture<ReleaseResult> endWait(ReleaseCommand command, String queue) {
        Predicate<OwnNode> which = each -> each.state != State.HELD || each.isOf(command.token());
        CompletableFuture<?> answered = own.in(queue).anyMatch(which) ? own.leave(queue, which) : answer(queue);
        return answered.thenApply(done -> new ReleaseResult.Released(0));
    }

    /** What this instance knows without a command is an answer only while the store answers. */
    private CompletableFuture<?> answer(String queue) {
        return calls.exists(queue);
    }

    private CompletableFuture<ReleaseResult> delete(OwnNode held) {
        return calls.delete(held.node.path()).thenApply(deleted -> {
            own.endRelease(held);
            return released(deleted, 0);
        });
    }

    /**
     * Replaces the node behind all earlier waiters, in one transaction. Of those, watches the last known one: if
     * another one has come since, the attempt after the signal detects it. With no waiter behind, only releases.
     */
    private CompletableFuture<ReleaseResult> releaseAndWait(OwnNode held, LockToken token) {
        String queue = held.node.directory();
        CompletableFuture<?> left =
                own.leave(queue, OwnNodes.IS_WAITING); // first, or the release might signal this instance
        CompletableFuture<Optional<String>> last = held.last.isPresent()
                ? CompletableFuture.completedFuture(held.last)
                : calls.queue(queue).thenApply(seen -> seen.lastBehind(held.node));
        return last.thenCompose(name -> name.isPresent() ? replace(held, token, name.get(), left) : delete(held))
                .exceptionallyCompose(failure -> notReplaced(held, failure));
    }

    private CompletableFuture<ReleaseResult> replace(
            OwnNode held, LockToken token, String last, CompletableFuture<?> left) {
        return calls.replace(held.node, token).thenCombine(left, (node, done) -> {
            if (own.endRelease(held)) {
                OwnNode waiting = new OwnNode(held.key, node);
                own.enqueue(waiting);
                own.watchBefore(waiting, last);
            }
            return released(true, 1);
        });
    }

    private CompletableFuture<ReleaseResult> notReplaced(OwnNode held, Throwable failure) {
        if (NodeCalls.isNoNode(failure)) {
            own.endRelease(held);
            return CompletableFuture.completedFuture(released(false, 0));
        }
        own.leave(held);
        return CompletableFuture.failedFuture(failure);
    }

    private static ReleaseResult released(boolean deleted, int signalled) {
        return deleted ? new ReleaseResult.Released(signalled) : new ReleaseResult.FoundFree();
    }
}
