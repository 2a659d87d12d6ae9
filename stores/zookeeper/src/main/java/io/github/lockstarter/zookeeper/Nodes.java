package io.github.lockstarter.zookeeper;

import io.github.lockstarter.DurationText;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.UnhandledErrorListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The calls of ZooKeeper, each as a future. A future fails with the {@link KeeperException} of the answer, or with
 * what kept the client from asking. It is completed by a thread of the client, at any time.
 *
 * <p>Every future ends: the client drops a command without a callback after some errors, such as when it cannot start a
 * thread, so a future without an answer fails when the {@linkplain ZooKeeperLockSettings#answerLimit limit} is over. An
 * answer that comes later changes nothing, except that a node which was created is deleted. Only after the close is
 * there no limit. Thread-safe.
 */
final class Nodes {

    private static final int MOST_TRIES = 3;

    private final CuratorFramework client;

    private final ScheduledExecutorService timer;
    private final Duration limit;

    /**
     * The calls over a client.
     *
     * @param client the client
     * @param timer ends what is not answered
     * @param limit how long an answer may take
     */
    Nodes(CuratorFramework client, ScheduledExecutorService timer, Duration limit) {
        this.client = client;
        this.timer = timer;
        this.limit = limit;
    }

    /**
     * Joins the line. If no answer comes, the client looks for the node by the random part of its name until there is
     * one, and deletes it.
     */
    CompletableFuture<LockNode> create(String directory, byte[] data) {
        return create(directory, data, MOST_TRIES);
    }

    /** The server may remove the container, which is empty, before the node is in it. */
    private CompletableFuture<LockNode> create(String directory, byte[] data, int tries) {
        return createNode(directory, data)
                .handle((node, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(node);
                    }
                    return tries > 1 && isNoNode(failure)
                            ? createContainer(directory).thenCompose(there -> create(directory, data, tries - 1))
                            : CompletableFuture.<LockNode>failedFuture(Failures.causeOf(failure));
                })
                .thenCompose(next -> next);
    }

    private CompletableFuture<LockNode> createNode(String directory, byte[] data) {
        Stat stat = new Stat();
        return send(
                        (callback, broken) -> client.create()
                                .storingStatIn(stat)
                                .withProtection()
                                .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                                .inBackground(callback)
                                .withUnhandledErrorListener(broken)
                                .forPath(directory + '/' + Line.PREFIX, data),
                        created -> delete(created.getName()))
                .thenCompose(event -> stat.getCzxid() == 0
                        ? stat(event.getName()) // found by its name: the answer to the creation was lost
                        : CompletableFuture.completedFuture(node(event.getName(), stat)));
    }

    /** Alone, since the client would create it on a thread that waits for each answer. */
    private CompletableFuture<Boolean> createContainer(String directory) {
        return send((callback, broken) -> client.create()
                        .creatingParentContainersIfNeeded()
                        .withMode(CreateMode.CONTAINER)
                        .inBackground(callback)
                        .withUnhandledErrorListener(broken)
                        .forPath(directory, new byte[0]))
                .handle((event, failure) -> {
                    if (failure == null || is(Code.NODEEXISTS, failure)) {
                        return failure == null;
                    }
                    throw Failures.thrown(failure);
                });
    }

    private CompletableFuture<LockNode> stat(String path) {
        return send((callback, broken) -> client.checkExists()
                        .inBackground(callback)
                        .withUnhandledErrorListener(broken)
                        .forPath(path))
                .thenApply(event -> node(path, event.getStat()));
    }

    private static LockNode node(String path, Stat stat) {
        return new LockNode(path, stat.getCzxid(), stat.getEphemeralOwner());
    }

    /** Whether there is such a node, as the server knows it on which this client is. */
    CompletableFuture<Boolean> exists(String path) {
        return send((callback, broken) -> client.checkExists()
                        .inBackground(callback)
                        .withUnhandledErrorListener(broken)
                        .forPath(path))
                .handle((event, failure) -> isThere(failure));
    }

    /** The line as the server knows it on which this client is; empty if there is none. */
    CompletableFuture<Line> line(String directory) {
        return send((callback, broken) -> client.getChildren()
                        .inBackground(callback)
                        .withUnhandledErrorListener(broken)
                        .forPath(directory))
                .handle((event, failure) -> failure == null ? Line.of(event.getChildren()) : emptyIfNone(failure));
    }

    private static Line emptyIfNone(Throwable failure) {
        if (isNoNode(failure)) {
            return Line.EMPTY;
        }
        throw Failures.thrown(failure);
    }

    /** The data of a node, with its state. */
    CompletableFuture<CuratorEvent> data(String path) {
        return send((callback, broken) -> client.getData()
                .inBackground(callback)
                .withUnhandledErrorListener(broken)
                .forPath(path));
    }

    /** The same, and calls the watcher once when the node changes or is deleted; never if there is no such node. */
    CompletableFuture<CuratorEvent> data(String path, Watcher watcher) {
        return send((callback, broken) -> client.getData()
                .usingWatcher(watcher)
                .inBackground(callback)
                .withUnhandledErrorListener(broken)
                .forPath(path));
    }

    CompletableFuture<CuratorEvent> write(String path, byte[] data) {
        return send((callback, broken) -> client.setData()
                .inBackground(callback)
                .withUnhandledErrorListener(broken)
                .forPath(path, data));
    }

    /**
     * Deletes the node. True if this very command has deleted it, false if there was none. If it fails, the client
     * repeats it in the background until it is answered.
     */
    CompletableFuture<Boolean> delete(String path) {
        return send((callback, broken) -> client.delete()
                        .guaranteed()
                        .inBackground(callback)
                        .withUnhandledErrorListener(broken)
                        .forPath(path))
                .handle((event, failure) -> isThere(failure));
    }

    private static boolean isThere(@Nullable Throwable failure) {
        if (failure == null || isNoNode(failure)) {
            return failure == null;
        }
        throw Failures.thrown(failure);
    }

    static boolean isNoNode(Throwable failure) {
        return is(Code.NONODE, failure);
    }

    private static boolean is(Code code, Throwable failure) {
        return Failures.causeOf(failure) instanceof KeeperException keeper && keeper.code() == code;
    }

    private interface Call {

        void send(BackgroundCallback callback, UnhandledErrorListener broken) throws Exception;
    }

    private CompletableFuture<CuratorEvent> send(Call call) {
        return send(call, late -> {});
    }

    /** The second argument is called with a success that comes when the limit is over. */
    private CompletableFuture<CuratorEvent> send(Call call, Consumer<CuratorEvent> late) {
        CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
        try {
            call.send((used, event) -> answered(answer, event, late), (message, e) -> answer.completeExceptionally(e));
        } catch (Exception e) {
            answer.completeExceptionally(e);
        }
        if (!answer.isDone()) {
            endInTime(answer);
        }
        return answer;
    }

    private void endInTime(CompletableFuture<?> answer) {
        Runnable end = () ->
                answer.completeExceptionally(new TimeoutException("no answer within " + DurationText.exactly(limit)));
        try {
            Future<?> atLimit = timer.schedule(end, limit.toMillis(), TimeUnit.MILLISECONDS);
            answer.whenComplete((event, failure) -> atLimit.cancel(false));
        } catch (RejectedExecutionException e) {
            // closed: no step follows
        }
    }

    private static void answered(
            CompletableFuture<CuratorEvent> answer, CuratorEvent event, Consumer<CuratorEvent> late) {
        Code code = Code.get(event.getResultCode());
        if (code != Code.OK) {
            answer.completeExceptionally(KeeperException.create(code));
        } else if (!answer.complete(event)) {
            late.accept(event);
        }
    }
}
