package io.github.lockstarter.zookeeper;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
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
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.data.Stat;

/**
 * The calls of ZooKeeper, each as a future. A future fails with the {@link KeeperException} of the answer, or with
 * what kept the client from asking. It is completed by a thread of the client, at any time; or never, since the client
 * drops a command without a callback after some errors, such as when it cannot start a thread.
 *
 * <p>A call is sent before the method returns, and the servers execute the calls of a connection in the order in which
 * they were sent. A call that the client repeats over another connection comes later. Thread-safe.
 */
final class Nodes {

    private static final int MOST_TRIES = 3;

    private final CuratorFramework client;

    Nodes(CuratorFramework client) {
        this.client = client;
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
                .exceptionallyCompose(failure -> tries > 1 && isNoNode(failure)
                        ? createContainer(directory).thenCompose(there -> create(directory, data, tries - 1))
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<LockNode> createNode(String directory, byte[] data) {
        Stat stat = new Stat();
        return send(directory + '/' + Line.PREFIX, data, to -> client.create()
                        .storingStatIn(stat)
                        .withProtection()
                        .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                        .inBackground(to))
                .thenCompose(event -> stat.getCzxid() == 0
                        ? stat(event.getName()) // found by its name: the answer to the creation was lost
                        : CompletableFuture.completedFuture(node(event.getName(), stat)));
    }

    /** Alone, since the client would create it on a thread that waits for each answer. */
    private CompletableFuture<?> createContainer(String directory) {
        CompletableFuture<?> created = send(directory, new byte[0], to -> client.create()
                .creatingParentContainersIfNeeded()
                .withMode(CreateMode.CONTAINER)
                .inBackground(to));
        return unless(Code.NODEEXISTS, created.thenApply(event -> true), false);
    }

    private CompletableFuture<LockNode> stat(String path) {
        return send(path, to -> client.checkExists().inBackground(to)).thenApply(event -> node(path, event.getStat()));
    }

    private static LockNode node(String path, Stat stat) {
        return new LockNode(path, stat.getCzxid(), stat.getEphemeralOwner());
    }

    /** Whether there is such a node, as the server knows it on which this client is. */
    CompletableFuture<Boolean> exists(String path) {
        return isThere(send(path, to -> client.checkExists().inBackground(to)));
    }

    /** The line as the server knows it on which this client is; empty if there is none. */
    CompletableFuture<Line> line(String directory) {
        CompletableFuture<CuratorEvent> found =
                send(directory, to -> client.getChildren().inBackground(to));
        return unless(Code.NONODE, found.thenApply(event -> Line.of(event.getChildren())), Line.EMPTY);
    }

    /** The data of a node, with its state. */
    CompletableFuture<CuratorEvent> data(String path) {
        return send(path, to -> client.getData().inBackground(to));
    }

    /** Has the watcher called once when the node is changed or deleted. False, and never called, if there is none. */
    CompletableFuture<Boolean> watch(String path, Watcher watcher) {
        return isThere(send(path, to -> client.getData().usingWatcher(watcher).inBackground(to)));
    }

    /**
     * The same for the deletion alone: the watch is one of the children that the node never has. It is another one than
     * that of {@link #watch}, and can be taken back.
     */
    CompletableFuture<Boolean> watchEnd(String path, Watcher watcher) {
        return isThere(
                send(path, to -> client.getChildren().usingWatcher(watcher).inBackground(to)));
    }

    /**
     * Takes back what has asked for the end of a node, after its answer. All of this client: where one watcher is
     * removed, the client forgets it and the server does not.
     */
    void unwatchEnd(String path) {
        send(
                path,
                to -> client.watchers().removeAll().ofType(WatcherType.Children).inBackground(to));
    }

    /** The node, which has the data now; empty if there is no such node. */
    CompletableFuture<Optional<LockNode>> write(String path, byte[] data) {
        CompletableFuture<CuratorEvent> written =
                send(path, data, to -> client.setData().inBackground(to));
        return unless(
                Code.NONODE, written.thenApply(event -> Optional.of(node(path, event.getStat()))), Optional.empty());
    }

    /**
     * Deletes the node and joins its line again, in one transaction. A copy of the command that the client sends again
     * finds the node that the first copy has created.
     *
     * @return the new node; fails with {@link Code#NONODE} if the other one was gone before
     */
    CompletableFuture<LockNode> replace(LockNode old, byte[] data) {
        return send((callback, broken) -> client.transaction()
                        .inBackground(callback)
                        .withUnhandledErrorListener(broken)
                        .forOperations(
                                client.transactionOp().delete().forPath(old.path()),
                                client.transactionOp()
                                        .create()
                                        .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                                        .forPath(old.directory() + '/' + Line.prefixAfter(old), data)))
                .thenApply(event -> event.getOpResults().get(1).getResultPath())
                .exceptionallyCompose(
                        failure -> isNoNode(failure) ? replacement(old) : CompletableFuture.failedFuture(failure))
                .thenApply(path -> new LockNode(path, LockNode.UNKNOWN, LockNode.UNKNOWN));
    }

    private CompletableFuture<String> replacement(LockNode old) {
        return line(old.directory()).thenCompose(line -> line.after(old)
                .map(name -> CompletableFuture.completedFuture(old.directory() + '/' + name))
                .orElseGet(() -> CompletableFuture.failedFuture(KeeperException.create(Code.NONODE))));
    }

    /** Deletes the node, and the one that has perhaps replaced it: no other can do so any more. */
    CompletableFuture<?> deleteBoth(LockNode old) {
        return delete(old.path())
                .thenCompose(gone -> unless(Code.NONODE, replacement(old).thenCompose(this::delete), false));
    }

    /**
     * Deletes the node. True if this very command has deleted it, false if there was none. If it fails, the client
     * repeats it in the background until it is answered.
     */
    CompletableFuture<Boolean> delete(String path) {
        return isThere(send(path, to -> client.delete().guaranteed().inBackground(to)));
    }

    private static CompletableFuture<Boolean> isThere(CompletableFuture<CuratorEvent> answer) {
        return unless(Code.NONODE, answer.thenApply(event -> true), false);
    }

    /** The answer, or what it means if it is this refusal. */
    private static <R> CompletableFuture<R> unless(Code refusal, CompletableFuture<R> answer, R meaning) {
        return answer.exceptionallyCompose(failure -> is(refusal, failure)
                ? CompletableFuture.completedFuture(meaning)
                : CompletableFuture.failedFuture(failure));
    }

    static boolean isNoNode(Throwable failure) {
        return is(Code.NONODE, failure);
    }

    private static boolean is(Code code, Throwable failure) {
        return Failures.causeOf(failure) instanceof KeeperException keeper && keeper.code() == code;
    }

    private static CompletableFuture<CuratorEvent> send(
            String path, Function<BackgroundCallback, ErrorListenerPathable<?>> call) {
        return send((callback, broken) ->
                call.apply(callback).withUnhandledErrorListener(broken).forPath(path));
    }

    private static CompletableFuture<CuratorEvent> send(
            String path, byte[] data, Function<BackgroundCallback, ErrorListenerPathAndBytesable<?>> call) {
        return send((callback, broken) ->
                call.apply(callback).withUnhandledErrorListener(broken).forPath(path, data));
    }

    private interface Call {

        void send(BackgroundCallback callback, UnhandledErrorListener broken) throws Exception;
    }

    private static CompletableFuture<CuratorEvent> send(Call call) {
        CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
        try {
            call.send((used, event) -> answered(answer, event), (message, e) -> answer.completeExceptionally(e));
        } catch (Exception e) {
            answer.completeExceptionally(e);
        }
        return answer;
    }

    private static void answered(CompletableFuture<CuratorEvent> answer, CuratorEvent event) {
        Code code = Code.get(event.getResultCode());
        if (code == Code.OK) {
            answer.complete(event);
        } else {
            answer.completeExceptionally(KeeperException.create(code));
        }
    }
}
