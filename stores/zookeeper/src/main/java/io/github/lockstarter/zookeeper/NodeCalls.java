package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.LockToken;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.ErrorListenerPathAndBytesable;
import org.apache.curator.framework.api.ErrorListenerPathable;
import org.apache.curator.framework.api.UnhandledErrorListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;

/**
 * Asynchronous commands of ZooKeeper. A future fails with the {@link KeeperException} of the answer or the failure of
 * the client. A thread of the client completes it, at any time; or never, because the client drops a command without a
 * callback after some errors, for example if it cannot start a thread.
 *
 * <p>Each method sends its command before it returns, and the servers execute the commands of a connection in that
 * order. A command that the client repeats over another connection comes later. Without a connection, a thread of this
 * object calls the client: that may close its lost session, and waits up to a second for it. Thread-safe.
 */
final class NodeCalls {

    private static final int MAX_TRIES = 3;

    private final CuratorFramework client;
    private final ContainerCleaner cleaner;
    private final Executor disconnected = LockThreads.pool("lock-zookeeper-disconnected", 1, Duration.ofSeconds(1));

    NodeCalls(CuratorFramework client, ScheduledExecutorService timer, LongSupplier nanoTime) {
        this.client = client;
        this.cleaner = new ContainerCleaner(
                container -> send(container, to -> client.delete().inBackground(to)), timer, nanoTime);
    }

    /**
     * Joins a queue. Without an answer, the client looks for the node by the random part of its name, and creates
     * another one if it finds none: the server that answers may lag behind ({@link QueueSnapshot#createdBy}).
     *
     * @param attempt unique, part of the name
     */
    CompletableFuture<LockNode> create(String queue, String attempt, LockToken token) {
        return create(queue, attempt, token, MAX_TRIES);
    }

    /** The empty container may be deleted before the node is in it. */
    private CompletableFuture<LockNode> create(String queue, String attempt, LockToken token, int tries) {
        return createNode(queue, attempt, token)
                .exceptionallyCompose(failure -> tries > 1 && isNoNode(failure)
                        ? createContainer(queue).thenCompose(created -> create(queue, attempt, token, tries - 1))
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<LockNode> createNode(String queue, String attempt, LockToken token) {
        Stat stat = new Stat();
        return send(queue + '/' + QueueSnapshot.prefixOf(attempt), data(token), to -> client.create()
                        .storingStatIn(stat)
                        .withProtection()
                        .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                        .inBackground(to))
                .thenCompose(event -> stat.getCzxid() == 0
                        ? stat(event.getName()) // found by its name: the answer to the creation was lost
                        : CompletableFuture.completedFuture(node(event.getName(), stat)));
    }

    /**
     * Separate, because the client would create parents of the node on a thread that waits for each answer. An empty
     * parent may be deleted before the container is in it: then none is created.
     */
    private CompletableFuture<?> createContainer(String queue) {
        CompletableFuture<Boolean> created = send(queue, new byte[0], to -> client.create()
                        .creatingParentContainersIfNeeded()
                        .withMode(CreateMode.CONTAINER)
                        .inBackground(to))
                .thenApply(event -> true);
        return unless(Code.NODEEXISTS, unless(Code.NONODE, created, false), false)
                .thenAccept(isNew -> {
                    if (isNew) {
                        cleaner.created(queue);
                    }
                });
    }

    private CompletableFuture<LockNode> stat(String path) {
        return send(path, to -> client.checkExists().inBackground(to)).thenApply(event -> node(path, event.getStat()));
    }

    private static LockNode node(String path, Stat stat) {
        return new LockNode(path, stat.getCzxid(), stat.getEphemeralOwner());
    }

    /** On the connected server, which may lag behind, as with all reads. */
    CompletableFuture<Boolean> exists(String path) {
        return isThere(send(path, to -> client.checkExists().inBackground(to)));
    }

    /** Empty if the container does not exist. */
    CompletableFuture<QueueSnapshot> queue(String queue) {
        CompletableFuture<CuratorEvent> found =
                send(queue, to -> client.getChildren().inBackground(to));
        return unless(
                Code.NONODE, found.thenApply(event -> QueueSnapshot.of(event.getChildren())), QueueSnapshot.EMPTY);
    }

    /** With the node's state. */
    CompletableFuture<CuratorEvent> data(String path) {
        return send(path, to -> client.getData().inBackground(to));
    }

    /** Calls the watcher once, when the node is changed or deleted. False if it does not exist; then never. */
    CompletableFuture<Boolean> watch(String path, Watcher watcher) {
        return isThere(send(path, to -> client.getData().usingWatcher(watcher).inBackground(to)));
    }

    /** {@link #watch} without changes: watches the children, which an ephemeral node never has. */
    CompletableFuture<Boolean> watchEnd(String path, Watcher watcher) {
        return isThere(
                send(path, to -> client.getChildren().usingWatcher(watcher).inBackground(to)));
    }

    /** The node with the new token; empty if it does not exist. */
    CompletableFuture<Optional<LockNode>> write(String path, LockToken token) {
        CompletableFuture<CuratorEvent> written =
                send(path, data(token), to -> client.setData().inBackground(to));
        return unless(
                Code.NONODE, written.thenApply(event -> Optional.of(node(path, event.getStat()))), Optional.empty());
    }

    /**
     * Deletes the node and joins its queue again, in one transaction. If the client sends the command twice, the second
     * copy finds the node that the first has created.
     *
     * @return the new node; fails with {@link Code#NONODE} if the old one was already deleted
     */
    CompletableFuture<LockNode> replace(LockNode old, LockToken token) {
        String path = old.directory() + '/' + QueueSnapshot.prefixAfter(old);
        return send((callback, broken) -> client.transaction()
                        .inBackground(callback)
                        .withUnhandledErrorListener(broken)
                        .forOperations(
                                client.transactionOp().delete().forPath(old.path()),
                                client.transactionOp()
                                        .create()
                                        .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                                        .forPath(path, data(token))))
                .thenApply(event -> event.getOpResults().get(1).getResultPath())
                .exceptionallyCompose(
                        failure -> isNoNode(failure) ? replacement(old) : CompletableFuture.failedFuture(failure))
                .thenApply(created -> new LockNode(created, LockNode.UNKNOWN, LockNode.UNKNOWN));
    }

    private CompletableFuture<String> replacement(LockNode old) {
        return queue(old.directory()).thenCompose(queue -> queue.replacementOf(old)
                .map(name -> CompletableFuture.completedFuture(old.directory() + '/' + name))
                .orElseGet(() -> CompletableFuture.failedFuture(KeeperException.create(Code.NONODE))));
    }

    /**
     * Deletes the node and its replacement, if any: without the node, a late copy of {@link #replace} fails.
     *
     * @return whether this command deleted the node itself
     */
    CompletableFuture<Boolean> deleteBoth(LockNode old) {
        return delete(old.path())
                .thenCompose(deleted -> unless(Code.NONODE, replacement(old).thenCompose(this::delete), false)
                        .thenApply(ignored -> deleted));
    }

    /**
     * Deletes the node. After a failure, the client repeats the command in the background until it is answered.
     *
     * @return whether this command deleted it; false if it did not exist
     */
    CompletableFuture<Boolean> delete(String path) {
        return isThere(send(path, to -> client.delete().guaranteed().inBackground(to)));
    }

    CompletableFuture<Void> deleteAll(String queue, List<String> names) {
        return CompletableFuture.allOf(
                names.stream().map(name -> delete(queue + '/' + name)).toArray(CompletableFuture<?>[]::new));
    }

    private static byte[] data(LockToken token) {
        return token.value().getBytes(StandardCharsets.UTF_8);
    }

    private static CompletableFuture<Boolean> isThere(CompletableFuture<CuratorEvent> answer) {
        return unless(Code.NONODE, answer.thenApply(event -> true), false);
    }

    /** The answer, or the meaning of one refusal. */
    private static <R> CompletableFuture<R> unless(Code refusal, CompletableFuture<R> answer, R meaning) {
        return answer.exceptionallyCompose(failure -> is(refusal, failure)
                ? CompletableFuture.completedFuture(meaning)
                : CompletableFuture.failedFuture(failure));
    }

    static boolean isNoNode(Throwable failure) {
        return is(Code.NONODE, failure);
    }

    private static boolean is(Code code, Throwable failure) {
        return BackendGuard.causeOf(failure) instanceof KeeperException keeper && keeper.code() == code;
    }

    private CompletableFuture<CuratorEvent> send(
            String path, Function<BackgroundCallback, ErrorListenerPathable<?>> call) {
        return send((callback, broken) ->
                call.apply(callback).withUnhandledErrorListener(broken).forPath(path));
    }

    private CompletableFuture<CuratorEvent> send(
            String path, byte[] data, Function<BackgroundCallback, ErrorListenerPathAndBytesable<?>> call) {
        return send((callback, broken) ->
                call.apply(callback).withUnhandledErrorListener(broken).forPath(path, data));
    }

    private interface NodeCall {

        void send(BackgroundCallback callback, UnhandledErrorListener broken) throws Exception;
    }

    private CompletableFuture<CuratorEvent> send(NodeCall call) {
        CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
        if (client.getZookeeperClient().isConnected()) {
            send(call, answer);
        } else {
            disconnected.execute(() -> send(call, answer));
        }
        return answer;
    }

    private static void send(NodeCall call, CompletableFuture<CuratorEvent> answer) {
        try {
            call.send((used, event) -> complete(answer, event), (message, e) -> answer.completeExceptionally(e));
        } catch (Exception e) {
            answer.completeExceptionally(e);
        }
    }

    private static void complete(CompletableFuture<CuratorEvent> answer, CuratorEvent event) {
        Code code = Code.get(event.getResultCode());
        if (code == Code.OK) {
            answer.complete(event);
        } else {
            answer.completeExceptionally(KeeperException.create(code));
        }
    }
}
