package io.github.lockstarter.simulation.episode;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.simulation.net.Wire;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** The log has each withdrawal as often as a server has executed it. */
class WatchedRedisTests {

    private static final String KEY = "k0";
    private static final String ID = "instance";
    private static final long SEQUENCE = 7;

    @Test
    void recordsEachWithdrawalOnce() {
        assertThat(withdrawals(false)).containsExactly(Tuple.tuple("w0.1", KEY, SEQUENCE));
    }

    @Test
    void recordsARepeatedWithdrawalAgain() {
        Tuple noted = Tuple.tuple("w0.1", KEY, SEQUENCE);

        assertThat(withdrawals(true)).containsExactly(noted, noted);
    }

    private static List<Tuple> withdrawals(boolean cut) {
        try (LuaInterpreter lua = new LuaInterpreter()) {
            World world = new World(Plan.of(1), lua);
            Instance instance = new Instance(world, 0, 1);
            pass(world);
            assertThat(instance.isWarm()).isTrue();
            world.started(ID, instance);
            world.servers.master().redis.execute(List.of("ZADD", "lock:{k0}:waiters", "1", ID));
            if (cut) {
                instance.wires().forEach(Wire::cutBeforeAnswer);
            }
            instance.witness.releaseToken(ReleaseCommand.endOfWait(KEY, new LockToken(ID, SEQUENCE)));
            pass(world);
            return world.log().stream()
                    .filter(event -> event.kind() == EventKind.WITHDRAWING)
                    .map(WatchedRedisTests::noted)
                    .toList();
        }
    }

    private static Tuple noted(LabEvent event) {
        return Tuple.tuple(event.worker(), event.key(), event.amount());
    }

    private static void pass(World world) {
        world.time.runUntil(world.time.nanos() + Duration.ofMillis(100).toNanos());
    }
}
