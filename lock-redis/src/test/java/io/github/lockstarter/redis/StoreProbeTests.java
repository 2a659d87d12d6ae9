package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.Coverage;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.cluster.SlotHash;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether locks can be had, by which of the masters answer. */
@Tag(Effort.SLOW)
class StoreProbeTests {

    private final Map<String, Integer> masters = new TreeMap<>(Map.of("a:1", 0, "b:2", 6_000, "c:3", 12_000));
    private final Map<Integer, CompletionStage<Optional<String>>> answers = new HashMap<>();
    private final Map<Integer, String> moved = new HashMap<>();
    private final StoreProbe probe = new StoreProbe(() -> masters, this::masterOf, this::attempt);

    private StoreProbe.ProbeResult found() throws Exception {
        return probe.ask().toCompletableFuture().get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private CompletionStage<Optional<String>> attempt(String name) {
        return answers.getOrDefault(SlotHash.getSlot(name), CompletableFuture.completedFuture(Optional.empty()));
    }

    private Optional<String> masterOf(String name) {
        int slot = SlotHash.getSlot(name);
        return Optional.of(moved.getOrDefault(slot, slot < 6_000 ? "a:1" : slot < 12_000 ? "b:2" : "c:3"));
    }

    private void refuse(int slot) {
        answers.put(slot, CompletableFuture.completedFuture(Optional.of("No connection")));
    }

    @Test
    void probesEachMasterAtOneOfItsSlots() throws Exception {
        refuse(6_000);

        assertThat(found().nodes())
                .extracting(StoreState::target, node -> node.failure().isEmpty(), StoreState::coverage)
                .containsExactly(
                        tuple("a:1", true, Coverage.PART),
                        tuple("b:2", false, Coverage.PART),
                        tuple("c:3", true, Coverage.PART));
    }

    /** A slot that moves brings the history of its last master, so a check there would begin a grace period. */
    @Test
    void probesAMasterAtTheSameSlotWhileItHasIt() throws Exception {
        found();
        masters.put("b:2", 100);
        moved.put(100, "b:2");
        refuse(100);
        assertThat(found().warnings()).isEmpty();

        moved.put(6_000, "c:3");
        assertThat(found().warnings()).singleElement().asString().contains("b:2");
    }

    @Test
    void oneMissingMasterIsAWarning() throws Exception {
        refuse(6_000);

        assertThat(found().failure()).isEmpty();
        assertThat(found().warnings())
                .singleElement()
                .asString()
                .startsWith("1 of 3 masters of the cluster do not answer")
                .contains("b:2");
    }

    @Test
    void reportsAFailureWithoutAMajorityOfMasters() throws Exception {
        refuse(0);
        refuse(6_000);

        assertThat(found().failure()).hasValue("Only 1 of 3 masters of the cluster answer: No connection");
        assertThat(found().warnings()).isEmpty();
    }

    @Test
    void countsAHangingMasterAsFailedAfterThreeSeconds() throws Exception {
        answers.put(0, new CompletableFuture<>());

        StoreProbe.ProbeResult found = found();

        assertThat(found.failure()).isEmpty();
        assertThat(found.nodes().get(0).failure()).hasValue("Redis at a:1 did not answer within 3s");
    }

    @Test
    void probesAllMastersOnceTheFirstProbeHasConnected() {
        Map<String, Integer> none = Map.of();
        CompletableFuture<Optional<String>> connecting = new CompletableFuture<>();
        AtomicReference<Map<String, Integer>> now = new AtomicReference<>(none);
        StoreProbe first =
                new StoreProbe(now::get, this::masterOf, name -> now.get() == none ? connecting : attempt(name));

        CompletableFuture<StoreProbe.ProbeResult> asked = first.ask().toCompletableFuture();
        assertThat(asked).isNotDone();
        now.set(masters);
        connecting.complete(Optional.empty());

        assertThat(asked).succeedsWithin(Patience.TIME).satisfies(found -> assertThat(found.nodes())
                .hasSize(3));
    }

    @Test
    void probesOnlyTheServerOfASingleServerSetup() throws Exception {
        masters.clear();
        assertThat(found().failure()).isEmpty();
        assertThat(found().nodes()).isEmpty();
        answers.put(SlotHash.getSlot("lock-starter:health"), CompletableFuture.completedFuture(Optional.of("away")));
        assertThat(found().failure()).hasValue("away");
    }
}
