package io.github.lockstarter.simulation.episode;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.redis.LockScript;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A minimum hold ends early if an operator takes away the lock of that grant, and for no other reason. */
class PromiseWatchTests {

    private static final String KEY = "k0";
    private static final String OTHER = "k1";

    private LuaInterpreter lua = new LuaInterpreter();
    private World world = new World(Plan.of(1), lua);

    @AfterEach
    void close() {
        lua.close();
    }

    @Test
    void findsAGrantBeforeTheMinimumHoldIsOver() {
        keep(KEY, 17);

        assertThat(anomaliesOfGrants()).containsExactly(KEY);
    }

    @Test
    void excusesAGrantAfterAnOperatorHasEndedTheMinimumHold() {
        keep(KEY, 17);
        revoke(KEY, 17);

        assertThat(anomaliesOfGrants()).isEmpty();
    }

    @Test
    void excusesAGrantEvenIfTheReleaseIsAnsweredAfterTheRevocation() {
        long sent = world.time.nanos();
        store(KEY, 17);
        world.time.runUntil(sent + 1);
        revoke(KEY, 17);
        world.promises.kept(KEY, sent, end());

        assertThat(anomaliesOfGrants()).isEmpty();
    }

    @Test
    void doesNotExcuseAGrantOfAnotherLock() {
        keep(KEY, 17);
        keep(OTHER, 18);
        revoke(KEY, 17);

        assertThat(anomaliesOfGrants()).containsExactly(OTHER);
    }

    @Test
    void doesNotExcuseAGrantAfterARevocationThatWasRefused() {
        keep(KEY, 18);
        revoke(KEY, 17);

        assertThat(world.servers.master().redis.keys()).containsKey(World.entry(KEY));
        assertThat(anomaliesOfGrants()).containsExactly(KEY);
    }

    /** The control: a server that does not compare. */
    @Test
    void doesNotExcuseARevocationThatEndsTheMinimumHoldOfAnotherGrant() {
        lua.close();
        lua = new LuaInterpreter(script -> script.replace("string.sub(owner, -#token) == token", "true"));
        world = new World(Plan.of(1), lua);
        keep(KEY, 18);
        revoke(KEY, 17);

        assertThat(world.servers.master().redis.keys()).doesNotContainKey(World.entry(KEY));
        assertThat(anomaliesOfGrants()).containsExactly(KEY);
    }

    private void keep(String key, long fencingToken) {
        store(key, fencingToken);
        world.promises.kept(key, world.time.nanos(), end());
    }

    private long end() {
        return world.time.nanos() + Duration.ofSeconds(1).toNanos();
    }

    private void store(String key, long fencingToken) {
        execute("SET", World.entry(key), kept(fencingToken), "PX", "1000");
    }

    private void revoke(String key, long fencingToken) {
        String lock = World.entry(key);
        execute("EVAL", LockScript.RELEASE.text(), "2", lock, lock + ":waiters", kept(fencingToken), "", "", "revoked");
    }

    private static String kept(long fencingToken) {
        return String.format("%016d %%kept", fencingToken);
    }

    private void execute(String... command) {
        world.servers.master().redis.execute(List.of(command));
    }

    /** Locks for which a grant now would be a violation. */
    private List<String> anomaliesOfGrants() {
        Stream.of(KEY, OTHER).forEach(key -> world.promises.granted("w0.1", key));
        return world.log().stream().map(LabEvent::key).toList();
    }
}
