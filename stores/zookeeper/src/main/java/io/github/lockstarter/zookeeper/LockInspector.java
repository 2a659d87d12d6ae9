package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.LockToken;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.api.CuratorEvent;

/** What an operator sees of a lock, and how it is taken away. Thread-safe. */
final class LockInspector {

    private final Nodes nodes;
    private final LockPaths paths;

    LockInspector(Nodes nodes, LockPaths paths) {
        this.nodes = nodes;
        this.paths = paths;
    }

    /** The first node of a line, as it was seen. */
    private record Owner(String path, long fencingToken, LockHolder holder, int waiting) {

        StoredLock seen() {
            return new StoredLock.Held(Optional.of(holder), Optional.empty(), fencingToken, waiting);
        }
    }

    CompletableFuture<StoredLock> inspect(String key) {
        return owner(key).thenApply(LockInspector::seen);
    }

    /** Deletes the very node that has the fencing token: its name is never that of another one. */
    CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        return owner(key).thenCompose(owner -> {
            if (owner.isEmpty() || owner.get().fencingToken != fencingToken) {
                return CompletableFuture.completedFuture(new Revocation.Stale(seen(owner)));
            }
            return nodes.delete(owner.get().path)
                    .thenCompose(deleted -> deleted
                            ? CompletableFuture.completedFuture(new Revocation.Revoked())
                            : inspect(key).thenApply(Revocation.Stale::new));
        });
    }

    private static StoredLock seen(Optional<Owner> owner) {
        return owner.map(Owner::seen).orElseGet(() -> new StoredLock.Free(0, 0));
    }

    private CompletableFuture<Optional<Owner>> owner(String key) {
        String directory = paths.directory(key);
        return nodes.line(directory).thenCompose(line -> {
            if (line.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            String path = directory + '/' + line.names().get(0);
            return nodes.data(path)
                    .thenApply(event -> Optional.of(owner(path, event, line)))
                    // Gone since: whoever is the first one now.
                    .exceptionallyCompose(
                            failure -> Nodes.isNoNode(failure) ? owner(key) : CompletableFuture.failedFuture(failure));
        });
    }

    private static Owner owner(String path, CuratorEvent event, Line line) {
        return new Owner(
                path,
                event.getStat().getCzxid(),
                holderIn(event.getData()),
                line.names().size() - 1);
    }

    /** The readable part of a lock token that is stored; of any data a short text that can be printed. */
    static LockHolder holderIn(byte[] data) {
        return LockToken.holderOf(new String(data, StandardCharsets.UTF_8));
    }

    /** Whether the stored token names its owner. */
    static Optional<LockHolder> namedHolderIn(byte[] data) {
        return Optional.of(holderIn(data)).filter(holder -> holder.since().isPresent());
    }
}
