package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.LockToken;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.api.CuratorEvent;

/** Inspects and revokes locks for operators. Thread-safe. */
final class NodeInspector {

    private final NodeCalls calls;
    private final LockPaths paths;

    NodeInspector(NodeCalls calls, LockPaths paths) {
        this.calls = calls;
        this.paths = paths;
    }

    private record OwnerNode(String path, long fencingToken, LockHolder holder, int waiting) {

        StoredLock lock() {
            return new StoredLock.Held(Optional.of(holder), Optional.empty(), fencingToken, waiting);
        }
    }

    CompletableFuture<StoredLock> inspect(String key) {
        return owner(key).thenApply(NodeInspector::lock);
    }

    /** Deletes the node with the fencing token; no later node has its name. */
    CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        return owner(key).thenCompose(owner -> {
            if (owner.isEmpty() || owner.get().fencingToken != fencingToken) {
                return CompletableFuture.completedFuture(new Revocation.Stale(lock(owner)));
            }
            return calls.delete(owner.get().path)
                    .thenCompose(deleted -> deleted
                            ? CompletableFuture.completedFuture(new Revocation.Revoked())
                            : inspect(key).thenApply(Revocation.Stale::new));
        });
    }

    private static StoredLock lock(Optional<OwnerNode> owner) {
        return owner.map(OwnerNode::lock).orElseGet(() -> new StoredLock.Free(0, 0));
    }

    private CompletableFuture<Optional<OwnerNode>> owner(String key) {
        String directory = paths.directory(key);
        return calls.queue(directory).thenCompose(queue -> queue.first()
                .map(name -> owner(directory + '/' + name, queue)
                        .exceptionallyCompose(failure -> NodeCalls.isNoNode(failure)
                                ? owner(key) // deleted since: another one is first
                                : CompletableFuture.failedFuture(failure)))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    private CompletableFuture<Optional<OwnerNode>> owner(String path, QueueSnapshot queue) {
        return calls.data(path)
                .thenApply(event -> Optional.of(new OwnerNode(
                        path,
                        event.getStat().getCzxid(),
                        holderIn(event),
                        queue.names().size() - 1)));
    }

    /** The readable part of a stored lock token; of other data, a short printable text. */
    private static LockHolder holderIn(CuratorEvent event) {
        return LockToken.holderOf(new String(event.getData(), StandardCharsets.UTF_8));
    }

    /** Empty if the stored token does not name its owner. */
    static Optional<LockHolder> namedHolderIn(CuratorEvent event) {
        return Optional.of(holderIn(event)).filter(holder -> holder.since().isPresent());
    }
}
