package io.github.lockstarter.redis;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The histories of a client's locks: one, or one per slot in a cluster, since slots move between servers. Thread-safe;
 * histories are created on first use.
 */
final class ClientHistories {

    /** Slots in use that one check visits, so that its cost does not grow with them. */
    static final int MOST_VISITED = 128;

    /** Between the slots that are visited one after the other, so that those of one check are spread over all nodes. */
    private static final int STRIDE = 10_125;

    private final KeySpace keySpace;
    private final RedisSettings.HistoryGuard guard;
    private final ServerHistory.HistoryTerms terms;
    private final NodeHistoryIds names;
    /** Address of the cluster node of a key. */
    private final Function<String, Optional<String>> nodeOf;

    private final RedisConnector servers;
    /** Unused if each slot has its own. */
    private final ServerHistory ofAll;

    private final AtomicReferenceArray<@Nullable ServerHistory> ofSlots;
    private final Map<String, Long> reported = new ConcurrentHashMap<>();
    /** The last visited slot; instances begin at different ones. */
    private final AtomicInteger visiting =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(SlotHash.SLOT_COUNT));

    private volatile Consumer<StoreEvent> receiver = event -> {};
    private volatile boolean unnamed;
    private volatile Optional<String> name = Optional.empty();

    public ClientHistories(
            KeySpace keySpace,
            RedisConnector servers,
            RedisSettings.HistoryGuard guard,
            Function<String, Optional<String>> nodeOf) {
        this.keySpace = keySpace;
        this.guard = guard;
        this.terms = ServerHistory.HistoryTerms.of(guard);
        this.nodeOf = nodeOf;
        this.servers = servers;
        this.names = new NodeHistoryIds(servers.isCluster() ? nodeOf : this::shardOf, guard.grace());
        this.ofSlots = new AtomicReferenceArray<>(
                keySpace.layout() == KeyLayout.STANDALONE ? 0 : SlotHash.SLOT_COUNT); // unknown layouts too
        this.ofAll = new ServerHistory(keySpace.history(), terms, null, this::recovers, servers);
    }

    /** Shards behind one address have no addresses, but the last history id of a slot names its shard. */
    private Optional<String> shardOf(String key) {
        return Optional.ofNullable(ofSlots.get(SlotHash.getSlot(key))).flatMap(ServerHistory::name);
    }

    public ServerHistory of(String lock) {
        return keySpace.isPerSlot() ? ofSlot(SlotHash.getSlot(lock)) : ofAll;
    }

    public ServerHistory ofKey(String key) {
        return keySpace.isPerSlot() ? of(keySpace.lockOf(key)) : ofAll;
    }

    private ServerHistory ofSlot(int slot) {
        ServerHistory known = ofSlots.get(slot);
        if (known != null) {
            return known;
        }
        ServerHistory made = new ServerHistory(
                keySpace.historyOf(slot), terms, guard.isDurable() ? null : names, this::recovers, servers);
        ServerHistory raced = ofSlots.compareAndExchange(slot, null, made);
        return raced == null ? made : raced;
    }

    public ServerHistory ofAll() {
        return ofAll;
    }

    public void reportTo(Consumer<StoreEvent> next) {
        receiver = next;
    }

    private RecoveryStarted recovers(ServerHistory history, Duration left) {
        RecoveryStarted recovery = recovery(history, left);
        if (!keySpace.isPerSlot() || isNews(history)) {
            receiver.accept(recovery);
        }
        return recovery;
    }

    private RecoveryStarted recovery(ServerHistory history, Duration left) {
        String node = keySpace.isPerSlot() ? nodeOf.apply(history.key()).orElse("") : "";
        String store = "Redis at " + (node.isEmpty() ? servers.target().name() : node);
        return new RecoveryStarted(
                store,
                keySpace.isPerSlot() ? Scope.PART : Scope.ALL,
                store
                        + ' '
                        + history.change().predicate()
                        + history.newMaster().map(": "::concat).orElse(""),
                left);
    }

    /**
     * Reports a node's new history only within one grace after its first report: later, slots in first use still wait
     * but report nothing.
     */
    private boolean isNews(ServerHistory history) {
        boolean ofNode = history.change() == HistoryChange.REPLACED || history.change() == HistoryChange.UNSEEN;
        long now = servers.nanoTime();
        long first = reported.computeIfAbsent(history.name().orElse(""), name -> now);
        return !ofNode || now - first < terms.grace().toNanos();
    }

    /**
     * The histories to compare with their servers now, of slots that this instance has used: one per server, and those
     * that differ from the last reported id of their server; all of a durable store, whose ids do not show lost data.
     * Each call visits other slots.
     */
    public List<ServerHistory> toCheck() {
        if (guard.isOff()) {
            return List.of();
        }
        if (!keySpace.isPerSlot()) {
            return List.of(ofAll);
        }
        if (guard.isDurable()) {
            return visited();
        }
        Set<String> servers = new HashSet<>();
        List<ServerHistory> toCheck = new ArrayList<>();
        for (ServerHistory used : visited()) {
            used.node().ifPresent(node -> {
                boolean firstUse = servers.add(node);
                if (firstUse || names.isOutdated(node, used.name())) {
                    toCheck.add(used);
                }
            });
        }
        return toCheck;
    }

    private List<ServerHistory> visited() {
        List<ServerHistory> used = new ArrayList<>();
        for (int i = 0; i < ofSlots.length() && used.size() < MOST_VISITED; i++) {
            ServerHistory next = ofSlots.get(visiting.updateAndGet(last -> (last + STRIDE) % ofSlots.length()));
            if (next != null && next.isKnown()) {
                used.add(next);
            }
        }
        return used;
    }

    public void found(Optional<String> told) {
        unnamed = told.isEmpty();
        name = told;
    }

    public Optional<String> name() {
        return name;
    }

    public Guard guard() {
        if (guard.isOff()) {
            return Guard.OFF;
        }
        boolean degraded = unnamed || (!guard.isDurable() && made().anyMatch(ServerHistory::isUnnamed));
        return degraded ? Guard.DEGRADED : Guard.GUARDED;
    }

    /** The recovery that lasts longest. */
    public Optional<RecoveryStarted> recovery() {
        return made().max(Comparator.comparing(ServerHistory::recovering))
                .map(history -> recovery(history, history.recovering()))
                .filter(longest -> !guard.isOff() && !longest.remaining().isZero());
    }

    private Stream<ServerHistory> made() {
        return Stream.concat(
                Stream.of(ofAll),
                IntStream.range(0, ofSlots.length()).mapToObj(ofSlots::get).filter(Objects::nonNull));
    }
}
