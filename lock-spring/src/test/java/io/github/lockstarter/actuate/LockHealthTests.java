package io.github.lockstarter.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class LockHealthTests {

    @Test
    void theHealthIsThatOfTheWorstStore() {
        Store up = new Store(state(Optional.empty(), Duration.ZERO));
        Store down = new Store(state(Optional.of("Connection refused"), Duration.ZERO));

        LockHealth health = LockHealth.of(up, Map.of("zookeeperLocks", down));

        assertThat(health.status()).isEqualTo("DOWN");
        assertThat(health.details()).doesNotContainKey("failure");
        assertThat(health.details().get("zookeeperLocks"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("status", "DOWN")
                .containsEntry("failure", "Connection refused");
        assertThat(LockHealth.of(down, Map.of("zookeeperLocks", up)).status()).isEqualTo("DOWN");
        assertThat(LockHealth.of(up, Map.of()).status()).isEqualTo("UP");
    }

    @Test
    void theHealthIsDownOnlyWhenTheStoreDoesNotAnswer() {
        LockHealth health = LockHealth.of(new Store(new StoreState("a:6379", Optional.of("Connection refused"))));

        assertThat(health.status()).isEqualTo("DOWN");
        assertThat(health.details())
                .containsEntry("failure", "Connection refused")
                .containsEntry("hearsSignals", false);
    }

    @Test
    void showsTheRecoveryOfTheStoreAndItsEnd() {
        LockHealth health = LockHealth.of(new Store(state(Optional.empty(), Duration.ofSeconds(12))));

        assertThat(health.status()).isEqualTo("RECOVERING");
        assertThat(health.details()).containsEntry("recoveringForMs", 12_000L);
        assertThat((Instant) health.details().get("recoveringUntil"))
                .isBetween(Instant.now().plusSeconds(8), Instant.now().plusSeconds(12));
    }

    @Test
    void showsWhichMastersOfAClusterAnswer() {
        StoreState master = new StoreState(
                "b:6379",
                Optional.of("No connection"),
                Duration.ZERO,
                Guard.UNNEEDED,
                false,
                List.of(),
                List.of(),
                StoreState.Coverage.PART,
                CrashTakeover.UNNEEDED);
        StoreState cluster = new StoreState(
                "a cluster", Optional.empty(), Duration.ZERO, Guard.GUARDED, true, List.of(), List.of(master));

        LockHealth health = LockHealth.of(new Store(cluster));

        assertThat(health.status()).isEqualTo("UP");
        assertThat(health.details())
                .containsEntry("nodes", Map.of("b:6379", Map.of("answers", false, "failure", "No connection")));
    }

    @Test
    void showsWarningsOfTheStore() {
        LockHealth health = LockHealth.of(new Store(new StoreState(
                "a:6379", Optional.empty(), Duration.ZERO, Guard.DEGRADED, false, List.of("evicts keys"), List.of())));

        assertThat(health.details())
                .containsEntry("guard", "degraded")
                .containsEntry("hearsSignals", false)
                .containsEntry("warnings", List.of("evicts keys"));
    }

    @Test
    void showsWhetherCrashTakeoverWorksAndWhyNot() {
        StoreState on = state(Optional.empty(), Duration.ZERO).with(CrashTakeover.ON);
        StoreState off = on.with(new CrashTakeover(CrashTakeover.State.OFF, "NUMSUB is refused", "Grant it"));

        assertThat(LockHealth.of(new Store(on)).details())
                .containsEntry("crashTakeover", "on")
                .doesNotContainKeys("crashTakeoverReason", "warnings");
        assertThat(LockHealth.of(new Store(off)).details())
                .containsEntry("crashTakeover", "off")
                .containsEntry("crashTakeoverReason", "NUMSUB is refused")
                .containsEntry("warnings", List.of("NUMSUB is refused. Grant it"));
    }

    @Test
    void omitsCrashTakeoverWhenLocksEndWithTheirProcess() {
        assertThat(LockHealth.of(new Store(state(Optional.empty(), Duration.ZERO)))
                        .details())
                .doesNotContainKeys("crashTakeover", "crashTakeoverReason");
    }

    @Test
    void showsWhichNodesVote() {
        StoreState quorum = new StoreState(
                "3 nodes",
                Optional.empty(),
                Duration.ZERO,
                Guard.GUARDED,
                true,
                List.of(),
                List.of(
                        state(Optional.empty(), Duration.ZERO),
                        new StoreState("b:6379", Optional.of("No connection"))));

        assertThat(LockHealth.of(new Store(quorum)).details().get("nodes"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                .hasEntrySatisfying("a:6379", node -> assertThat(((Map<?, ?>) node).get("votes"))
                        .isEqualTo(true))
                .hasEntrySatisfying("b:6379", node -> assertThat(((Map<?, ?>) node).get("votes"))
                        .isEqualTo(false));
    }

    private static StoreState state(Optional<String> failure, Duration recovering) {
        return new StoreState("a:6379", failure, recovering, Guard.GUARDED, true, List.of(), List.of());
    }

    /** Locks whose store is in a given state. */
    private record Store(StoreState storeStateNow) implements LockAdmin {

        @Override
        public String instance() {
            return "3f2a91c0";
        }

        @Override
        public HeldLocks heldLocks() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<WaitingCaller> waiters() {
            return List.of();
        }

        @Override
        public CompletableFuture<StoredLock> inspect(String key, int slot) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<StoreState> storeState() {
            return CompletableFuture.completedFuture(storeStateNow);
        }

        @Override
        public CompletableFuture<Map<String, String>> storeDiagnosis() {
            throw new UnsupportedOperationException();
        }
    }
}
