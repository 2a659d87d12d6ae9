package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.zookeeper.OwnNode.State;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of this instance in the queues of locks, and their events: the deletion of the node in front signals a
 * waiter; that of the own node by another client is a revocation; the lease ends by this machine's clock, up to
 * {@value #LOOK_MILLIS} ms late.
 *
 * <p>Thread-safe. {@link #change} makes every transition, under one lock for all keys and without I/O, so that a lease
 * is either prolonged or ended, and a node is either granted or left.
 *
 * <p>This object is the only watcher. Client and server keep one registration per watcher and path, so an abandoned
 * wait leaves at most one watch, which the next wait behind the same node reuses and the end of that node removes.
 * Removing it earlier would cost a command per wait.
 */
final class OwnNodes implements Watcher {

    static final Predicate<OwnNode> IS_WAITING = each -> each.state == State.WAITING;

    private static final int LOOK_MILLIS = 100;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_FAILED = 10_000;

    final NodeCalls calls;

    /** By queue, nodes that are neither {@link State#JOINED} nor {@link State#GONE}. Changed under the lock. */
    private final ConcurrentMap<String, Set<OwnNode>> known = new ConcurrentHashMap<>();

    /** Attempts whose nodes are to be deleted, whether known or not. Accessed under the lock. */
    private final Deque<FailedAttempt> failed = new ArrayDeque<>();

    private volatile long retryFailedAt = System.nanoTime();

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicBoolean isLookDue = new AtomicBoolean();
    private final Session session;
    private final ScheduledExecutorService timer;
    private final ConnectionEvents connection;

    private record FailedAttempt(String queue, String name) {}

    OwnNodes(NodeCalls calls, Session session, ScheduledExecutorService timer, ConnectionEvents connection) {
        this.calls = calls;
        this.session = session;
        this.timer = timer;
        this.connection = connection;
    }

    Stream<OwnNode> in(String queue) {
        return known.getOrDefault(queue, Set.of()).stream();
    }

    /** Null if unknown. */
    @Nullable
    OwnNode find(String queue, LockToken token) {
        return in(queue).filter(each -> each.isOf(token)).findFirst().orElse(null);
    }

    /** Null if the attempt has to create a node. */
    @Nullable
    OwnNode usableBy(LockToken token, String queue) {
        return in(queue)
                .filter(each -> each.state == State.WAITING || (each.state == State.HELD && each.isOf(token)))
                .max((a, b) -> a.state.compareTo(b.state))
                .orElse(null);
    }

    /** The condition may change the node. */
    private boolean change(OwnNode own, Predicate<OwnNode> condition, State to) {
        lock.lock();
        try {
            if (own.state == State.GONE || !condition.test(own)) {
                return false;
            }
            own.state = to;
            known.compute(own.node.directory(), (queue, nodes) -> with(nodes, own));
            return true;
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable Set<OwnNode> with(@Nullable Set<OwnNode> nodes, OwnNode changed) {
        Set<OwnNode> now = nodes == null ? new CopyOnWriteArraySet<>() : nodes;
        if (changed.state == State.GONE) {
            now.remove(changed);
        } else {
            now.add(changed);
        }
        return now.isEmpty() ? null : now;
    }

    /** Waits with this node alone. No effect on a node that was left. */
    void enqueue(OwnNode own) {
        leave(own.node.directory(), IS_WAITING);
        change(own, each -> each.state == State.JOINED, State.WAITING);
    }

    /** Signals when that node is deleted: then the own one is the first, unless another waiter has left. */
    void watchBefore(OwnNode own, String name) {
        String before = own.node.directory() + '/' + name;
        if (!change(own, each -> each.waitBehind(before), State.WAITING)) {
            return;
        }
        calls.watchEnd(before, this).whenComplete((isThere, failure) -> {
            if (failure != null) {
                change(own, each -> each.stopWaitingBehind(before), State.WAITING); // the next attempt watches
            } else if (!isThere) {
                ended(own, before);
            }
        });
    }

    /** False if the node was left, or is another token's. */
    boolean grant(OwnNode own, LockToken token, LockNode proven, QueueSnapshot queue, long leaseEnd) {
        boolean granted = change(own, each -> each.grant(token, proven, queue, leaseEnd), State.HELD);
        if (granted) {
            lookLater();
        }
        return granted;
    }

    boolean prolong(OwnNode own, long leaseEnd) {
        return change(own, each -> each.prolong(leaseEnd), State.HELD);
    }

    /** False if a release is under way, or the lock was lost. */
    boolean beginRelease(OwnNode own) {
        return change(own, each -> each.state == State.HELD, State.RELEASING);
    }

    /** False if the release was repeated. */
    boolean endRelease(OwnNode own) {
        return change(own, each -> each.state == State.RELEASING, State.GONE);
    }

    /** Deletes the node, and its replacement if a release may have made one. Idempotent. */
    CompletableFuture<Boolean> leave(OwnNode own) {
        return leave(own, any -> true);
    }

    private CompletableFuture<Boolean> leave(OwnNode own, Predicate<OwnNode> condition) {
        if (change(own, each -> each.state.compareTo(State.RELEASING) < 0 && condition.test(each), State.GONE)) {
            return calls.delete(own.node.path());
        }
        if (!change(own, condition, State.STRAY)) {
            return CompletableFuture.completedFuture(false);
        }
        return calls.deleteBoth(own.node).thenApply(deleted -> {
            change(own, any -> true, State.GONE);
            return deleted;
        });
    }

    CompletableFuture<?> leave(String queue, Predicate<OwnNode> which) {
        return CompletableFuture.allOf(in(queue).filter(which).map(this::leave).toArray(CompletableFuture<?>[]::new));
    }

    /** In the background, if the client is usable. */
    void leaveAll() {
        known.values().forEach(each -> each.forEach(this::leave));
        deleteNodesOf(takeFailed());
    }

    /** One task looks at all granted nodes; one for each would wake the timer's thread with nearly every grant. */
    private void lookLater() {
        if (isLookDue.compareAndSet(false, true)) {
            try {
                timer.schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RuntimeException | Error e) { // such as out of memory: the next grant retries
                isLookDue.set(false);
                throw e;
            }
        }
    }

    private void look() {
        isLookDue.set(false);
        long now = System.nanoTime();
        try {
            granted().forEach(each -> lookAt(each, now));
            if (now - retryFailedAt >= 0) {
                retryFailedAt = now + RETRY_NANOS;
                deleteNodesOf(takeFailed());
            }
        } finally {
            if (hasFailed() || granted().findAny().isPresent()) {
                lookLater();
            }
        }
    }

    /**
     * Deletes all nodes of an attempt as soon as a server is known to show them. Forgets the oldest of many attempts:
     * after so long an outage, its session has probably ended.
     */
    void deleteNodesOf(String attempt, String queue) {
        addFailed(List.of(new FailedAttempt(queue, attempt)));
    }

    private void addFailed(Collection<FailedAttempt> attempts) {
        lock.lock();
        try {
            failed.addAll(attempts);
            while (failed.size() > MOST_FAILED) {
                failed.removeFirst();
            }
        } finally {
            lock.unlock();
        }
        lookLater();
    }

    private boolean hasFailed() {
        lock.lock();
        try {
            return !failed.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private List<FailedAttempt> takeFailed() {
        lock.lock();
        try {
            List<FailedAttempt> taken = List.copyOf(failed);
            failed.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Once the servers have executed a later command of the session, they execute no earlier one any more. */
    private void deleteNodesOf(List<FailedAttempt> attempts) {
        if (attempts.isEmpty()) {
            return;
        }
        Map<String, List<FailedAttempt>> byQueue =
                attempts.stream().collect(Collectors.groupingBy(FailedAttempt::queue));
        session.prove()
                .thenAccept(proven -> byQueue.forEach((queue, ofQueue) -> (proven.isPresent()
                                ? calls.queue(queue).thenCompose(seen -> calls.deleteAll(queue, namesOf(ofQueue, seen)))
                                : CompletableFuture.<Void>failedFuture(Failures.withoutProof()))
                        .exceptionally(failure -> {
                            addFailed(ofQueue);
                            return null;
                        })));
    }

    private static List<String> namesOf(List<FailedAttempt> attempts, QueueSnapshot seen) {
        return attempts.stream()
                .flatMap(each -> seen.createdBy(each.name).stream())
                .toList();
    }

    private Stream<OwnNode> granted() {
        return known.values().stream().flatMap(Set::stream).filter(each -> each.state != State.WAITING);
    }

    private void lookAt(OwnNode own, long now) {
        if (own.isOver(now)) {
            leave(own, each -> each.isOver(now));
        } else if (now - own.retryAt >= 0) {
            own.retryAt = now + RETRY_NANOS;
            if (own.state == State.STRAY) {
                leave(own);
            } else if (own.state == State.HELD) {
                watch(own);
            }
        }
    }

    /**
     * Watches a held lock for its revocation. A short hold does without: that would cost a request, and a message at
     * its end. Completes normally; without an answer, the node stays unwatched.
     */
    CompletableFuture<?> watch(OwnNode own) {
        if (own.watched) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.watch(own.node.path(), this).handle((isThere, failure) -> {
            own.watched = failure == null;
            if (failure == null && !isThere) {
                revoked(own);
            }
            return null;
        });
    }

    @Override
    public void process(WatchedEvent event) {
        String path = event.getPath();
        if (path == null) {
            return; // of the connection
        }
        boolean nodeGone = event.getType() == EventType.NodeDeleted;
        in(path.substring(0, path.lastIndexOf('/'))).forEach(each -> {
            boolean matches = each.node.path().equals(path);
            if (matches && !nodeGone) {
                each.watched = false; // until the next look
            } else if (matches) {
                revoked(each);
            } else if (nodeGone) {
                ended(each, path);
            }
        });
    }

    private void ended(OwnNode own, String before) {
        if (change(own, each -> each.stopWaitingBehind(before), State.WAITING)) {
            connection.signal(own.key);
        }
    }

    /** Reported before the transition: a renewal that misses the node could not name the cause. */
    private void revoked(OwnNode own) {
        LockToken token = own.token;
        if (own.state == State.HELD && token != null) {
            connection.revoked(own.key, token);
            change(own, each -> each.state == State.HELD, State.GONE);
        }
    }
}
