package io.github.lockstarter.redis.connection;

import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens and watches the connections to a cluster's masters. Lettuce routes commands and follows redirects; opening its
 * connection to the node beforehand lets callers time out before their command is sent.
 * <p>{@code nodes} grows with each address that was ever a master's.
 */
final class ClusterRouting {

    private final StatefulRedisClusterConnection<String, String> cluster;
    private final Consumer<RedisLink> onUnhealthy;
    private final LongSupplier nanoTime;
    private final AtomicInteger breaks = new AtomicInteger();
    private final Map<String, Node> nodes = new ConcurrentHashMap<>();

    ClusterRouting(
            StatefulRedisClusterConnection<String, String> cluster,
            Consumer<RedisLink> onUnhealthy,
            LongSupplier nanoTime) {
        this.cluster = cluster;
        this.onUnhealthy = onUnhealthy;
        this.nanoTime = nanoTime;
    }

    void connectToAll() {
        // Failures are ignored: the first command for the master reconnects.
        masters().forEach(master -> nodeAt(master).open());
    }

    private List<RedisClusterNode> masters() {
        return cluster.getPartitions().stream()
                .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots())
                .toList();
    }

    Map<String, CompletableFuture<RedisLink>> toAll() {
        Map<String, CompletableFuture<RedisLink>> links = new LinkedHashMap<>();
        for (RedisClusterNode node : masters()) {
            Node master = nodeAt(node);
            links.put(master.address, master.open());
        }
        return links;
    }

    Map<String, Integer> slots() {
        Map<String, Integer> slots = new LinkedHashMap<>();
        for (RedisClusterNode master : masters()) {
            slots.put(nodeAt(master).address, master.getSlots().get(0));
        }
        return slots;
    }

    @Nullable
    RedisLink to(String key) {
        Node node = masterOf(key);
        return node == null ? null : node.current();
    }

    Optional<String> nodeOf(String key) {
        return Optional.ofNullable(masterOf(key)).map(node -> node.address);
    }

    void open(String key, CompletableFuture<RedisLink> user) {
        Node node = masterOf(key);
        if (node == null) {
            user.completeExceptionally(new PartitionSelectorException(
                    "no master is known for slot " + SlotHash.getSlot(key), cluster.getPartitions()));
        } else {
            node.open(user);
        }
    }

    private @Nullable Node masterOf(String key) {
        RedisClusterNode master = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
        return master == null ? null : nodeAt(master);
    }

    private Node nodeAt(RedisClusterNode master) {
        RedisURI uri = master.getUri();
        return nodes.computeIfAbsent(uri.getHost() + ':' + uri.getPort(), address -> new Node(address, uri));
    }

    /**
     * One master. Each answer to a connection request serves the longest waiting user, one thread at a time, so users
     * send in order of arrival. New users queue while another waits or is being served.
     */
    private final class Node {

        private final String address;
        private final RedisURI uri;
        private final RedisLink link = new RedisLink(cluster, onUnhealthy, breaks, nanoTime);
        private final Queue<CompletableFuture<RedisLink>> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger answers = new AtomicInteger();

        Node(String address, RedisURI uri) {
            this.address = address;
            this.uri = uri;
        }

        @Nullable
        RedisLink current() {
            return waiting.isEmpty() && answers.get() == 0 && link.isConnected() ? link : null;
        }

        CompletableFuture<RedisLink> open() {
            CompletableFuture<RedisLink> opened = new CompletableFuture<>();
            open(opened);
            return opened;
        }

        void open(CompletableFuture<RedisLink> user) {
            waiting.add(user);
            connect().whenComplete((connection, failure) -> {
                if (connection != null) {
                    link.watch(connection);
                }
                if (answers.getAndIncrement() == 0) {
                    do {
                        serve(waiting.remove(), failure);
                    } while (answers.decrementAndGet() > 0);
                }
            });
        }

        private void serve(CompletableFuture<RedisLink> user, @Nullable Throwable failure) {
            if (failure == null) {
                user.complete(link);
            } else {
                user.completeExceptionally(failure);
            }
        }

        /** Fails for a node that has just left the cluster. */
        private CompletionStage<StatefulRedisConnection<String, String>> connect() {
            return BackendGuard.stageOf(() -> cluster.getConnectionAsync(uri.getHost(), uri.getPort()));
        }
    }
}
