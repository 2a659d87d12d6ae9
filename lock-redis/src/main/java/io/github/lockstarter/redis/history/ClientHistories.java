package io.github.lockstarter.redis.history;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The histories that the locks of a client belong to: one, or in a cluster one for each slot, since slots move between
 * servers. Thread-safe: each history is made once, when its first lock is used.
 *
 * <p>The marker is stored under {@code <prefix>history}, in a cluster under {@code <prefix>history:{n}}, where
 * {@code n} is the least number in that slot: a name that all instances find, today and later.
 */
public final class ClientHistories {

    private final KeySpace keySpace;
    private final boolean perSlot;
    private final RedisSettings.Guard guard;
    private final ServerHistory.Terms terms;
    private final @Nullable NodeHistoryIds names;
    private final Function<String, Optional<String>> nodeOf;
    private final RedisConnector servers;
    private final AtomicReferenceArray<@Nullable ServerHistory> histories;
    private final Map<String, Long> reported = new ConcurrentHashMap<>();
    private volatile Consumer<StoreEvent> receiver = event -> {};
    private volatile boolean unnamed;
    private volatile Optional<String> name = Optional.empty();

    /**
     * Knows nothing yet.
     *
     * @param keySpace what the keys are called
     * @param servers whether they are a cluster
     * @param guard for how long histories matter
     * @param nodeOf what finds the node of a cluster that has a key; empty as long as no node is known
     */
    public ClientHistories(
            KeySpace keySpace,
            RedisConnector servers,
            RedisSettings.Guard guard,
            Function<String, Optional<String>> nodeOf) {
        this.keySpace = keySpace;
        this.perSlot = servers.isCluster();
        this.guard = guard;
        this.terms = ServerHistory.Terms.of(guard.grace(), guard.deposedMasterWrites(), guard.firstUse());
        this.nodeOf = nodeOf;
        this.servers = servers;
        this.names = perSlot ? new NodeHistoryIds(nodeOf, guard.grace()) : null;
        this.histories = new AtomicReferenceArray<>(perSlot ? SlotHash.SLOT_COUNT : 1);
    }

    /** Whether two locks rarely share a history. */
    public boolean isPerSlot() {
        return perSlot;
    }

    /** The history of the lock that is stored under this key. */
    public ServerHistory of(String lock) {
        int place = perSlot ? SlotHash.getSlot(lock) : 0;
        ServerHistory known = histories.get(place);
        return known == null ? made(place) : known;
    }

    /** The history of the lock that is called this. */
    public ServerHistory ofKey(String key) {
        return of(perSlot ? keySpace.lockOf(key) : key);
    }

    private ServerHistory made(int place) {
        ServerHistory made =
                new ServerHistory(keySpace.historyOf(place), terms, names, this::recovers, servers::nanoTime);
        ServerHistory raced = histories.compareAndExchange(place, null, made);
        return raced == null ? made : raced;
    }

    /** Reports recoveries to this receiver from now on. */
    public void reportTo(Consumer<StoreEvent> next) {
        receiver = next;
    }

    private RecoveryStarted recovers(ServerHistory history, Duration left) {
        String node = perSlot ? nodeOf.apply(history.key()).orElse("") : "";
        String store = "Redis at " + (node.isEmpty() ? servers.target() : node);
        RecoveryStarted recovery = new RecoveryStarted(
                store,
                node.isEmpty() ? Scope.ALL : Scope.PART,
                store + ' ' + history.change().saying(),
                left);
        if (!perSlot || isNews(history)) {
            receiver.accept(recovery);
        }
        return recovery;
    }

    /**
     * A slot that is first used long after the node began another history waits by itself, for what was reported then.
     */
    private boolean isNews(ServerHistory history) {
        boolean isOfNode = history.change() == HistoryChange.REPLACED || history.change() == HistoryChange.UNSEEN;
        long now = servers.nanoTime();
        long first = reported.computeIfAbsent(history.name().orElse(""), name -> now);
        return !isOfNode || now - first < terms.grace().toNanos();
    }

    /** What the server that was checked calls its history; empty if it does not tell this user. */
    public void found(Optional<String> told) {
        unnamed = told.isEmpty();
        name = told;
    }

    /** What the server that was checked calls its history. */
    public Optional<String> name() {
        return name;
    }

    /** Whether failovers and restarts are recognised, as far as this client knows. */
    public Guard guard() {
        if (guard.isOff()) {
            return Guard.OFF;
        }
        return unnamed || made().anyMatch(ServerHistory::isUnnamed) ? Guard.DEGRADED : Guard.GUARDED;
    }

    /** How much longer, at some server or other, no lock is granted that is free; zero if that was not said. */
    public Duration recovering() {
        return made().map(ServerHistory::recovering)
                .max(Comparator.naturalOrder())
                .filter(left -> !guard.isOff())
                .orElse(Duration.ZERO);
    }

    private Stream<ServerHistory> made() {
        return IntStream.range(0, histories.length()).mapToObj(histories::get).filter(Objects::nonNull);
    }
}
