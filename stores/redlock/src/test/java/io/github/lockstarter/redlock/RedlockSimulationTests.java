package io.github.lockstarter.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A quorum of five simulated nodes under faults, some seeds each: no two holds overlap, and fencing tokens grow. Each
 * fault is also simulated without the guard against it, and must do harm then. A run is a function of its seed;
 * {@code -Dlock.test.seed=…} starts them elsewhere.
 */
@Tag(Effort.SLOW)
class RedlockSimulationTests {

    private static final int NODES = 5;
    private static final int SEEDS = Effort.of(4, 20);

    /** At most; the first one in which the fault does harm is enough. */
    private static final int SEEDS_OF_A_CONTROL = 100;

    private static final int SEEDS_OF_MANY_GRANTS = Effort.of(3, 20);
    private static final long FIRST_SEED = Long.getLong("lock.test.seed", System.nanoTime() % 1_000_000);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);
    private static final Duration NO_GRACE = Duration.ZERO;

    /** Setup of a simulation; changed from a default. */
    private static final class Setup {
        private Duration lease = SHORT_LEASE;
        private Duration grace = SHORT_LEASE.multipliedBy(2);
        private Duration time = Duration.ofSeconds(45);
        private double loss = 0.02;
        private double overtaking = 0.02;
        private boolean tellsTime = true;
        private boolean writesBack = true;
        private int clients = 4;
        private Duration longestWork = Duration.ofSeconds(2);
        private Duration pause = Duration.ofMillis(200);
        private double crashes = 0.3;

        private SimClient.Habits habits() {
            return new SimClient.Habits(lease, longestWork, pause, crashes);
        }

        private BiConsumer<SimWorld, List<SimNode>> faults = (world, nodes) -> {};
    }

    private static SimWorld run(long seed, Setup setup) {
        SimWorld world = new SimWorld(seed);
        List<SimNode> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            SimNode node = new SimNode(world, setup.grace, setup.writesBack);
            node.setClock(Duration.ofNanos(world.upTo(500_000_000)));
            nodes.add(node);
        }
        for (int i = 0; i < setup.clients; i++) {
            List<SimLink> links = nodes.stream()
                    .map(node -> new SimLink(world, node, setup.loss, setup.tellsTime).overtakes(setup.overtaking))
                    .toList();
            RedlockBackend backend = new RedlockBackend(links, setup.lease, world::nanos);
            new SimClient(world, backend, "client" + i, setup.habits()).start();
        }
        setup.faults.accept(world, nodes);
        world.run(setup.time);
        return world;
    }

    private static List<SimWorld> runAll(Setup setup) {
        return runAll(setup, SEEDS);
    }

    private static List<SimWorld> runAll(Setup setup, int seeds) {
        System.out.println("First of " + seeds + " seeds: " + FIRST_SEED);
        return LongStream.range(FIRST_SEED, FIRST_SEED + seeds)
                .mapToObj(seed -> run(seed, setup))
                .toList();
    }

    /** Of a control. */
    private static boolean findsOverlaps(Setup setup) {
        return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS_OF_A_CONTROL)
                .anyMatch(seed -> run(seed, setup).overlaps > 0);
    }

    private static int sum(List<SimWorld> worlds, ToIntFunction<SimWorld> count) {
        return worlds.stream().mapToInt(count).sum();
    }

    private static void assertExclusion(List<SimWorld> worlds, int grants) {
        assertThat(worlds).allSatisfy(world -> {
            assertThat(world.grants).as("grants").isGreaterThan(grants);
            assertThat(world.overlaps).as("overlapping holds").isZero();
            assertThat(world.notGrown).as("fencing tokens that did not grow").isZero();
        });
    }

    @Test
    void worksWithAnyTwoNodesDown() {
        IntStream.range(0, NODES).forEach(a -> IntStream.range(a + 1, NODES).forEach(b -> {
            Setup setup = new Setup();
            setup.time = Duration.ofSeconds(10);
            setup.loss = 0;
            setup.faults = (world, nodes) -> {
                nodes.get(a).up = false;
                nodes.get(b).up = false;
            };
            List<SimWorld> worlds = List.of(run(FIRST_SEED, setup), run(FIRST_SEED + 1, setup));
            assertExclusion(worlds, 5);
        }));
    }

    @Test
    void grantsNothingWithThreeNodesDown() {
        Setup setup = new Setup();
        setup.time = Duration.ofSeconds(5);
        setup.faults = (world, nodes) -> nodes.subList(0, 3).forEach(node -> node.up = false);

        assertThat(runAll(setup)).allSatisfy(world -> {
            assertThat(world.grants).isZero();
            assertThat(world.errors).isPositive();
        });
    }

    @Test
    void excludesWhileNodesFailAndRecover() {
        Setup setup = new Setup();
        setup.loss = 0.1;
        setup.faults = RedlockSimulationTests::goAndComeBack;

        assertExclusion(runAll(setup), 20);
    }

    /** At most two are down at a time; they keep their state. */
    private static void goAndComeBack(SimWorld world, List<SimNode> nodes) {
        world.every(Duration.ofMillis(300), () -> {
            SimNode node = nodes.get(world.random.nextInt(NODES));
            boolean twoAway = nodes.stream().filter(each -> !each.up).count() >= 2;
            node.up = !node.up || twoAway;
        });
    }

    @Test
    void doesNotGrantAHeldLockAgainWhenANodeForgetsIt() {
        Setup setup = new Setup();
        setup.loss = 0.1;
        setup.faults = RedlockSimulationTests::restart;

        assertExclusion(runAll(setup), 20);
    }

    @Test
    void grantsAHeldLockAgainWhenANodeForgetsItWithoutTheGuard() {
        Setup setup = new Setup();
        setup.loss = 0.1;
        setup.grace = NO_GRACE;
        setup.faults = RedlockSimulationTests::restart;

        assertThat(findsOverlaps(setup)).isTrue();
    }

    /** One at a time: the next one only after all locks that the previous one may have lost have ended. */
    private static void restart(SimWorld world, List<SimNode> nodes) {
        world.after(SHORT_LEASE.multipliedBy(2).toNanos() + world.upTo(SHORT_LEASE.toNanos()), () -> {
            nodes.get(world.random.nextInt(NODES)).restartEmpty();
            restart(world, nodes);
        });
    }

    @Test
    void doesNotGrantAHeldLockAgainWhenAClockIsSetForward() {
        assertExclusion(runAll(clockSetForward(Duration.ofSeconds(31))), 10);
    }

    @Test
    void doesNotGrantAHeldLockAgainWhenAClockIsSetForwardByLessThanTheLease() {
        assertExclusion(runAll(clockSetForward(Duration.ofSeconds(12))), 10);
    }

    @Test
    void grantsAHeldLockAgainWhenAClockIsSetForwardWithoutTheCheck() {
        Setup setup = clockSetForward(Duration.ofSeconds(31));
        setup.tellsTime = false;

        assertThat(findsOverlaps(setup)).isTrue();
    }

    /** On one node after the other, after the leases that the previous one has shortened are over. */
    private static Setup clockSetForward(Duration step) {
        Setup setup = new Setup();
        setup.lease = LEASE;
        setup.grace = LEASE.multipliedBy(2);
        setup.longestWork = Duration.ofSeconds(50);
        setup.pause = Duration.ofSeconds(5);
        setup.loss = 0.15;
        setup.time = Duration.ofMinutes(30);
        setup.faults = (world, nodes) -> setForward(world, nodes, step);
        return setup;
    }

    private static void setForward(SimWorld world, List<SimNode> nodes, Duration step) {
        world.after(LEASE.multipliedBy(2).toNanos() + world.upTo(LEASE.toNanos()), () -> {
            nodes.get(world.random.nextInt(NODES)).setClock(step);
            setForward(world, nodes, step);
        });
    }

    @Test
    void fencingTokensGrowWhileNodesFail() {
        List<SimWorld> worlds = runAll(fencing(), SEEDS_OF_MANY_GRANTS);

        assertThat(sum(worlds, world -> world.grants)).isGreaterThan(800 * SEEDS_OF_MANY_GRANTS);
        assertThat(sum(worlds, world -> world.notGrown)).isZero();
        assertThat(sum(worlds, world -> world.overlaps)).isZero();
    }

    @Test
    void fencingTokensLoseTheirOrderWhenNotWrittenBack() {
        Setup setup = fencing();
        setup.writesBack = false;

        List<SimWorld> worlds = runAll(setup, SEEDS_OF_MANY_GRANTS);

        int notGrown = sum(worlds, world -> world.notGrown);
        System.out.println(notGrown + " of " + sum(worlds, world -> world.grants) + " fencing tokens did not grow");
        assertThat(notGrown).isPositive();
    }

    /** Short holds, nodes whose clocks differ by half a second, and which fail, restart and lose data. */
    private static Setup fencing() {
        Setup setup = new Setup();
        setup.loss = 0.005;
        setup.clients = 2;
        setup.longestWork = Duration.ofMillis(2);
        setup.pause = Duration.ofMillis(16);
        setup.crashes = 0.001;
        setup.time = Duration.ofSeconds(60);
        setup.faults = (world, nodes) -> {
            goAndComeBack(world, nodes);
            world.every(Duration.ofSeconds(20), () -> nodes.get(world.random.nextInt(NODES))
                    .restartEmpty());
        };
        return setup;
    }
}
