package io.github.lockstarter.redis;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
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
    private final boolean perSlot;
    private final RedisSettings.HistoryGuard guard;
    private final ServerHistory.HistoryTerms terms;
    private final @Nullable NodeHistoryIds names;
    private final Function<String, Optional<String>> nodeOf;
    private final RedisConnector servers;
    private final AtomicReferenceArray<@Nullable ServerHistory> histories;
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
        this.perSlot = servers.isCluster();
        this.guard = guard;
        this.terms = ServerHistory.HistoryTerms.of(guard.grace(), guard.deposedMasterWrites(), guard.firstUse());
        this.nodeOf = nodeOf;
        this.servers = servers;
        this.names = perSlot ? new NodeHistoryIds(nodeOf, guard.grace()) : null;
        this.histories = new AtomicReferenceArray<>(perSlot ? SlotHash.SLOT_COUNT : 1);
    }

    public boolean isPerSlot() {
        return perSlot;
    }

    public ServerHistory of(String lock) {
        int place = perSlot ? SlotHash.getSlot(lock) : 0;
        ServerHistory known = histories.get(place);
        return known == null ? made(place) : known;
    }

    public ServerHistory ofKey(String key) {
        return of(perSlot ? keySpace.lockOf(key) : key);
    }

    private ServerHistory made(int place) {
        ServerHistory made = new ServerHistory(keySpace.historyOf(place), terms, names, this::recovers, servers);
        ServerHistory raced = histories.compareAndExchange(place, null, made);
        return raced == null ? made : raced;
    }

    public void reportTo(Consumer<StoreEvent> next) {
        receiver = next;
    }

    private RecoveryStarted recovers(ServerHistory history, Duration left) {
        RecoveryStarted recovery = recovery(history, left);
        if (!perSlot || isNews(history)) {
            receiver.accept(recovery);
        }
        return recovery;
    }

    private RecoveryStarted recovery(ServerHistory history, Duration left) {
        String node = perSlot ? nodeOf.apply(history.key()).orElse("") : "";
        String store = "Redis at " + (node.isEmpty() ? servers.target().name() : node);
        return new RecoveryStarted(
                store,
                node.isEmpty() ? Scope.ALL : Scope.PART,
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
     * that differ from the last reported id of their server. Each call visits other slots.
     */
    public List<ServerHistory> toCheck() {
        if (guard.isOff()) {
            return List.of();
        }
        if (names == null) {
            return List.of(of(keySpace.history()));
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
        for (int i = 0; i < histories.length() && used.size() < MOST_VISITED; i++) {
            ServerHistory next = histories.get(visiting.updateAndGet(last -> (last + STRIDE) % histories.length()));
            if (next != null && next.name().isPresent()) {
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
        return unnamed || made().anyMatch(ServerHistory::isUnnamed) ? Guard.DEGRADED : Guard.GUARDED;
    }

    /** The recovery that lasts longest. */
    public Optional<RecoveryStarted> recovery() {
        return made().max(Comparator.comparing(ServerHistory::recovering))
                .map(history -> recovery(history, history.recovering()))
                .filter(longest -> !guard.isOff() && !longest.remaining().isZero());
    }

    private Stream<ServerHistory> made() {
        return IntStream.range(0, histories.length()).mapToObj(histories::get).filter(Objects::nonNull);
    }
}
