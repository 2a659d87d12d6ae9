package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClientHistoriesTests {

    private static final RedisSettings.HistoryGuard GUARD = RedisSettings.HistoryGuard.of(Duration.ofSeconds(30));
    private static final KeySpace KEYS = KeySpace.of("lock:", true);

    private final StubRedisConnector server = new StubRedisConnector();

    @Test
    void oneServerHasOneHistory() {
        ClientHistories histories = new ClientHistories(new KeySpace("lock:"), server, GUARD, key -> Optional.empty());
        assertThat(histories.of("lock:{a}")).isSameAs(histories.of("lock:{b}"));
        assertThat(histories.ofKey("c")).isSameAs(histories.of("lock:{a}"));
        assertThat(histories.of("lock:{a}").key()).isEqualTo("lock:history");
    }

    @Test
    void aClusterHasOneHistoryPerSlot() {
        ClientHistories histories = new ClientHistories(KEYS, cluster(), GUARD, key -> Optional.empty());
        for (int i = 0; i < 20; i++) {
            String lock = KEYS.lockOf("key" + i);
            ServerHistory history = histories.of(lock);
            assertThat(SlotHash.getSlot(history.key())).isEqualTo(SlotHash.getSlot(lock));
            assertThat(history.key()).matches("lock:history:\\{\\d{1,6}}");
            assertThat(histories.ofKey("key" + i)).isSameAs(history);
        }
    }

    /** Old instances and new ones must find the same marker. */
    @Test
    void theStoredNamesOfHistoriesNeverChange() {
        ClientHistories histories = new ClientHistories(KEYS, cluster(), GUARD, key -> Optional.empty());
        assertThat(histories.of("lock:{order:42}").key()).isEqualTo("lock:history:{" + leastInSlotOf("order:42") + "}");
    }

    /** An application that uses many locks meets all slots soon. To look for each from 0 on takes half a minute. */
    @Test
    @Tag(Effort.TIMING)
    @Timeout(10)
    void findsTheHistoriesOfAllSlotsQuickly() {
        KeySpace.SlotTags tags = new KeySpace.SlotTags();
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            assertThat(SlotHash.getSlot(tags.of(slot))).isEqualTo(slot);
        }
    }

    private static RedisConnector cluster() {
        RedisConnector nodes = mock(RedisConnector.class);
        when(nodes.isCluster()).thenReturn(true);
        when(nodes.masterAddress()).thenReturn("");
        return nodes;
    }

    private static int leastInSlotOf(String tag) {
        int number = 0;
        while (SlotHash.getSlot(String.valueOf(number)) != SlotHash.getSlot(tag)) {
            number++;
        }
        return number;
    }

    @Test
    void areDisabledWithoutAGracePeriod() {
        ClientHistories histories = new ClientHistories(
                KEYS, server, RedisSettings.HistoryGuard.of(Duration.ZERO), key -> Optional.empty());
        histories.of("lock:{a}").learn("?:1:grace");
        assertThat(histories.guard()).isEqualTo(Guard.OFF);
        assertThat(histories.recovery()).isEmpty();
    }

    @Test
    void rememberTheLatestMarkerOfTheServer() {
        ServerHistory history = new ClientHistories(KEYS, server, GUARD, key -> Optional.empty()).of("lock:{a}");
        assertThat(history.known()).isEmpty();
        history.learn("");
        assertThat(history.known()).isEmpty();
        history.learn("x:1:first");
        history.learn("");
        assertThat(history.known()).isEqualTo("x:1:first");
    }

    /** It answers a request sent without a marker; the next one starts a grace period on the server. */
    @Test
    void ignoreAFirstUseOnceTheyKnowAMarker() {
        ServerHistory history = new ClientHistories(KEYS, server, GUARD, key -> Optional.empty()).of("lock:{a}");
        history.learn("x:1:grace");
        history.learn("y:2:first");
        assertThat(history.known()).isEqualTo("x:1:grace");
        history.learn("y:3:grace");
        assertThat(history.known()).isEqualTo("y:3:grace");
    }

    @Test
    void nameTheMasterBeforeAndAfterAFailover() {
        RedisConnector sentinels = mock(RedisConnector.class);
        when(sentinels.target()).thenReturn(new Target("the master", false, RedisSetup.APPLICATION));
        when(sentinels.masterAddress()).thenReturn("a:1");
        ServerHistory history =
                new ClientHistories(new KeySpace("lock:"), sentinels, GUARD, key -> Optional.empty()).of("lock:{a}");
        history.learn("x:1:grace");

        when(sentinels.masterAddress()).thenReturn("b:2");
        history.learn("y:2:grace");
        history.learn("y:2:grace");
        assertThat(history.recovers(Duration.ofSeconds(30)).problem())
                .isEqualTo("Redis at the master was restarted, replaced by another server or restored from a snapshot:"
                        + " b:2 is the master now (was a:1)");
        history.learn("y:3:grace");
        assertThat(history.recovers(Duration.ofSeconds(30)).problem()).isEqualTo("Redis at the master lost its data");
        history.learn("z:4:grace");
        assertThat(history.recovers(Duration.ofSeconds(30)).problem())
                .isEqualTo("Redis at the master was restarted, replaced by another server or restored from a snapshot");
    }

    @Test
    void useTheMarkerOfTheNodeInANewSlot() {
        AtomicReference<String> node = new AtomicReference<>("node:1");
        ClientHistories histories = new ClientHistories(KEYS, cluster(), GUARD, key -> Optional.ofNullable(node.get()));
        assertThat(histories.ofKey("b").known()).isEmpty();

        histories.ofKey("a").learn("x:1:first");
        assertThat(histories.ofKey("b").known()).isEqualTo("x");
        assertThat(histories.ofKey("a").known()).isEqualTo("x:1:first");
        node.set("node:2");
        assertThat(histories.ofKey("b").known()).isEmpty();
        node.set(null);
        assertThat(histories.ofKey("b").known()).isEqualTo("-");
    }

    /** Otherwise a client that detected the new history in one slot would trust it in all others. */
    @Test
    void distrustANodeInNewSlotsForTheGracePeriodAfterItsMarkerChanged() {
        Duration lease = Duration.ofSeconds(2);
        ClientHistories histories = new ClientHistories(
                KEYS, cluster(), RedisSettings.HistoryGuard.of(lease), key -> Optional.of("node:1"));
        histories.ofKey("a").learn("x:1:grace");
        long changing = System.nanoTime();
        histories.ofKey("a").learn("y:2:grace");
        histories.ofKey("c").learn("y:2:grace");
        String known = histories.ofKey("b").known();
        if (System.nanoTime() - changing < lease.toNanos()) {
            assertThat(known).isEqualTo("-");
        }
        await().untilAsserted(() -> assertThat(histories.ofKey("b").known()).isEqualTo("y"));
        assertThat(System.nanoTime() - changing).isGreaterThanOrEqualTo(lease.toNanos());
    }

    @Test
    void knowNothingAboutANodeThatDoesNotNameItsHistory() {
        ClientHistories histories = new ClientHistories(KEYS, cluster(), GUARD, key -> Optional.of("node:1"));
        histories.ofKey("a").learn("?:1:first");
        assertThat(histories.ofKey("b").known()).isEmpty();
    }

    @Test
    void compareOneHistoryOfEachNodeAndThoseThatTheNodeNoLongerHas() {
        AtomicReference<String> node = new AtomicReference<>("node:1");
        ClientHistories histories = new ClientHistories(KEYS, cluster(), GUARD, key -> Optional.of(node.get()));
        ServerHistory unused = histories.ofKey("unused");
        assertThat(histories.toCheck()).isEmpty();
        ServerHistory one = histories.ofKey("a");
        ServerHistory another = histories.ofKey("b");
        one.learn("x:1:first");
        another.learn("x:1:first");
        assertThat(histories.toCheck()).hasSize(1).doesNotContain(unused);

        one.learn("y:2:grace");
        assertThat(histories.toCheck()).contains(another).doesNotContain(unused);
        another.learn("y:2:grace");
        assertThat(histories.toCheck()).hasSize(1);
    }

    /** An answer that says that the marker is the known one names the history of the node too. */
    @Test
    void compareTheSlotsThatAnotherNodeServesNow() {
        AtomicReference<String> node = new AtomicReference<>("node:1");
        ClientHistories histories = new ClientHistories(KEYS, cluster(), GUARD, key -> Optional.of(node.get()));
        ServerHistory one = histories.ofKey("a");
        ServerHistory another = histories.ofKey("b");
        one.learn("x:1:grace");
        another.learn("y:2:grace"); // by a redirect to node:2
        another.confirm();
        assertThat(histories.toCheck()).as("the name of another node").contains(one);
        one.confirm();
        assertThat(histories.toCheck()).contains(another);

        node.set("node:2");
        assertThat(histories.toCheck()).hasSize(1);
        another.confirm();
        assertThat(histories.toCheck()).contains(one);
        one.learn("y:3:grace");
        assertThat(histories.toCheck()).hasSize(1);
    }

    /** Shards behind one address are known by the names of their histories alone. */
    @Test
    void compareOneHistoryOfEachShardAndAllOfAShardThatHasAnotherNameNow() {
        ClientHistories histories = new ClientHistories(KEYS, server, GUARD, key -> Optional.empty());
        List<ServerHistory> one = Stream.of("a", "b", "c").map(histories::ofKey).toList();
        one.forEach(each -> each.learn("x:1:first"));
        histories.ofKey("d").learn("y:1:first");
        assertThat(histories.ofKey("unused").known()).isEmpty();
        assertThat(histories.toCheck()).hasSize(2);

        one.get(0).learn("z:2:grace");
        assertThat(histories.toCheck()).hasSize(4).containsAll(one);
        one.get(1).confirm();
        assertThat(histories.toCheck()).as("only a slot had moved").hasSize(3);
    }

    @Test
    void visitAllUsedSlotsSomeAtATime() {
        ClientHistories histories = new ClientHistories(KEYS, cluster(), GUARD, key -> Optional.of("node:1"));
        Set<ServerHistory> used = new HashSet<>();
        for (int i = 0; used.size() < 3 * ClientHistories.MOST_VISITED; i++) {
            used.add(histories.ofKey("key" + i));
        }
        used.forEach(each -> each.learn("x:1:first"));
        histories.ofKey("another").learn("y:2:grace");

        Set<ServerHistory> checked = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            List<ServerHistory> some = histories.toCheck();
            assertThat(some).hasSizeLessThanOrEqualTo(ClientHistories.MOST_VISITED);
            checked.addAll(some);
        }
        assertThat(checked).containsAll(used);
    }

    /** In a durable store, only a missing marker shows lost data. */
    @Test
    void compareAllUsedSlotsOfADurableStore() {
        RedisSettings.HistoryGuard durable = new RedisSettings.HistoryGuard(
                Duration.ofSeconds(30), FirstUse.GRANT, Duration.ZERO, RedisSettings.Durability.DECLARED);
        ClientHistories histories = new ClientHistories(KEYS, cluster(), durable, key -> Optional.of("node:1"));
        List<ServerHistory> used =
                Stream.of("a", "b", "c").map(histories::ofKey).toList();
        used.forEach(each -> each.learn("?:1:first"));
        ServerHistory unused = histories.ofKey("unused");
        assertThat(histories.toCheck()).hasSize(3).containsAll(used).doesNotContain(unused);
    }

    @Test
    void compareTheHistoryOfOneServerUnlessTheGuardIsOff() {
        ClientHistories histories = new ClientHistories(new KeySpace("lock:"), server, GUARD, key -> Optional.empty());
        assertThat(histories.toCheck()).containsExactly(histories.ofKey("any"));
        ClientHistories unguarded = new ClientHistories(
                new KeySpace("lock:"), server, RedisSettings.HistoryGuard.of(Duration.ZERO), key -> Optional.empty());
        assertThat(unguarded.toCheck()).isEmpty();
    }

    @Test
    void distrustAServerThatSeemsNewIfToldTo() {
        ServerHistory history = new ClientHistories(
                        KEYS,
                        server,
                        new RedisSettings.HistoryGuard(Duration.ofSeconds(30), FirstUse.GRACE, Duration.ZERO),
                        key -> Optional.empty())
                .of("lock:{a}");
        assertThat(history.known()).isEqualTo("-");
        history.learn("x:1:grace");
        assertThat(history.known()).isEqualTo("x:1:grace");
    }

    @Test
    void waitForTheLongestLeaseAndTheLastWritesOfADeposedMaster() {
        ServerHistory.HistoryTerms terms = new ClientHistories(
                        KEYS,
                        server,
                        new RedisSettings.HistoryGuard(
                                Duration.ofSeconds(30), FirstUse.GRANT, Duration.ofMillis(2_500)),
                        key -> Optional.empty())
                .of("lock:{a}")
                .terms();
        assertThat(terms.grace()).isEqualTo(Duration.ofMillis(32_500));
        assertThat(terms.quiet()).isEqualTo(Duration.ofMillis(2_500));
    }

    @Test
    void reportTheRecoveryTimeAndAServerThatDoesNotNameItsHistory() {
        ClientHistories histories = new ClientHistories(KEYS, server, GUARD, key -> Optional.empty());
        assertThat(histories.guard()).isEqualTo(Guard.GUARDED);
        assertThat(histories.recovery()).isEmpty();

        ServerHistory history = histories.of("lock:{a}");
        history.recovers(Duration.ofSeconds(20));
        assertThat(histories.recovery()).hasValueSatisfying(recovery -> assertThat(recovery.remaining())
                .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20)));

        history.learn("?:1:grace");
        assertThat(histories.guard()).isEqualTo(Guard.DEGRADED);
        history.learn("f:1:grace");
        assertThat(histories.guard()).isEqualTo(Guard.GUARDED);
        histories.found(Optional.empty());
        assertThat(histories.guard()).isEqualTo(Guard.DEGRADED);
    }
}
