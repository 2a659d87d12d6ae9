package io.github.lockstarter.redis.connection;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys are spread over the masters of a cluster. The client itself finds the node of a command, and follows where
 * the cluster redirects it to; this sees to it that its connection to the node is open before, so that a caller gives
 * up in time what was not sent; and watches that connection.
 *
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

    /** Begins to connect to all masters, so that the first lock on each need not wait for it. */
    void connectToAll() {
        // No caller waits yet, so a failure here concerns none: the first command for the master connects again.
        masters().forEach(master -> nodeAt(master).open());
    }

    private List<RedisClusterNode> masters() {
        return cluster.getPartitions().stream()
                .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots())
                .toList();
    }

    /** Links to all masters, each as soon as it is open, by address. */
    Map<String, CompletableFuture<RedisLink>> toAll() {
        Map<String, CompletableFuture<RedisLink>> links = new LinkedHashMap<>();
        for (RedisClusterNode node : masters()) {
            Node master = nodeAt(node);
            links.put(master.address, master.open());
        }
        return links;
    }

    /** One slot of each master, by address. */
    Map<String, Integer> slots() {
        Map<String, Integer> slots = new LinkedHashMap<>();
        for (RedisClusterNode master : masters()) {
            slots.put(nodeAt(master).address, master.getSlots().get(0));
        }
        return slots;
    }

    /** The link to the node that has a key; null if it is not open. */
    @Nullable
    RedisLink to(String key) {
        Node node = masterOf(key);
        return node == null ? null : node.current();
    }

    /** The address of the node that has a key; empty as long as none is known. */
    Optional<String> nodeOf(String key) {
        return Optional.ofNullable(masterOf(key)).map(node -> node.address);
    }

    /** Completes with the link as soon as it is open, or with the reason why it cannot be opened. */
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
     * One master. Each answer to the client's question for the connection serves the user that has waited longest, and
     * one thread at a time serves: so users send in the order in which they came. A new user joins them as long as
     * one waits or is being served.
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

        private CompletableFuture<StatefulRedisConnection<String, String>> connect() {
            try {
                return cluster.getConnectionAsync(uri.getHost(), uri.getPort());
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e); // it has just left the cluster
            }
        }
    }
}
