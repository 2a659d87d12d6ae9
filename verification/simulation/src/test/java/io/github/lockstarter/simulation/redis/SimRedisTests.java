package io.github.lockstarter.simulation.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.redis.LockScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The parts of {@link SimRedis} that one real server does not show: replicas, disks, clocks and processes. */
class SimRedisTests {

    private static final LuaInterpreter LUA = new LuaInterpreter();
    private static final String TOKEN = "0123456789abcdef0123456789abcdef:1";
    private static final Reply READONLY = new Reply.Failure("READONLY You can't write against a read only replica.");

    private final Random random = new Random(1);
    private long micros = 1_800_000_000_000_000L;
    private final SimRedis master = server();

    @AfterAll
    static void close() {
        LUA.close();
    }

    @Test
    void replicaLagsAndDropsTheRestWhenPromoted() {
        SimRedis replica = server();
        replica.follow(master);
        set(master, "a", "1");
        replica.lag(1);
        set(master, "a", "2");
        set(master, "b", "1");
        assertThat(replica.keys()).containsOnlyKeys("a");
        assertThat(get(replica, "a")).isEqualTo("2");
        assertThat(execute(master, "WAIT", "1", "0")).isEqualTo(new Reply.Numeric(0));
        String history = history(master);

        replica.promote();

        assertThat(replica.keys()).containsOnlyKeys("a");
        assertThat(history(replica)).isNotEqualTo(history);
        assertThat(info(replica)).contains("role:master", "master_replid2:" + history);
        set(master, "c", "1");
        set(replica, "d", "1");
        assertThat(replica.keys()).containsOnlyKeys("a", "d");
        assertThat(master.keys()).containsOnlyKeys("a", "b", "c");

        master.follow(replica);
        assertThat(master.keys()).containsOnlyKeys("a", "d");
        assertThat(history(master)).isEqualTo(history(replica));
        assertThat(execute(replica, "WAIT", "1", "0")).isEqualTo(new Reply.Numeric(1));
    }

    @Test
    void replicaRefusesWritesAndLeavesExpiryToTheMaster() {
        SimRedis replica = server();
        replica.follow(master);
        execute(master, "SET", "a", "1", "PX", "10");

        assertThat(execute(replica, "SET", "a", "2")).isEqualTo(READONLY);
        assertThat(acquire(replica)).asString().contains("READONLY");
        micros += 11_000;
        assertThat(execute(replica, "GET", "a")).isEqualTo(Reply.NIL);
        replica.stepClock(Duration.ofMillis(-5));
        assertThat(get(replica, "a")).isEqualTo("1");
        execute(master, "GET", "a");
        assertThat(execute(replica, "GET", "a")).isEqualTo(Reply.NIL);
    }

    @Test
    void replicaReceivesMessagesButNotTheCachedCheck() {
        SimRedis replica = server();
        replica.follow(master);
        List<String> received = new ArrayList<>();
        replica.subscribe("channel", (channel, message) -> received.add(message));

        assertThat(execute(master, "PUBLISH", "channel", "hello")).isEqualTo(new Reply.Numeric(0));
        acquireTwice();

        assertThat(received).containsExactly("hello");
        assertThat(master.keys()).containsKeys("l:{a}", "l:history:checked");
        assertThat(replica.keys()).containsKey("l:{a}").doesNotContainKey("l:history:checked");
    }

    @Test
    void restartKeepsPersistedData() {
        set(master, "a", "1");
        restart();
        assertThat(master.keys()).isEmpty();

        set(master, "a", "1");
        master.save();
        set(master, "b", "1");
        restart();
        assertThat(master.keys()).containsOnlyKeys("a");

        master.keepAppendOnlyFile(1);
        set(master, "c", "1");
        set(master, "d", "1");
        restart();
        assertThat(master.keys()).containsOnlyKeys("a", "c");
    }

    @Test
    void restartBeginsAnotherHistoryAndForgetsScriptsAndSubscribers() {
        acquireTwice();
        master.save();
        String history = history(master);
        master.subscribe("channel", (channel, message) -> {});
        micros += 5_000_000;
        assertThat(info(master)).contains("uptime_in_seconds:5");

        master.stop();
        assertThatThrownBy(() -> execute(master, "PING")).isInstanceOf(IllegalStateException.class);
        master.start();

        assertThat(history(master)).isNotEqualTo(history);
        assertThat(info(master)).contains("uptime_in_seconds:0");
        assertThat(execute(master, "PUBLISH", "channel", "x")).isEqualTo(new Reply.Numeric(0));
        assertThat(execute(master, "EVALSHA", LockScript.ACQUIRE.sha(), "0"))
                .isEqualTo(new Reply.Failure("NOSCRIPT No matching script. Please use EVAL."));
    }

    @Test
    void replicasOfARestartedMasterGetWhatItHas() {
        SimRedis replica = server();
        replica.follow(master);
        set(master, "a", "1");
        master.stop();
        assertThat(replica.keys()).containsOnlyKeys("a");
        master.start();
        assertThat(replica.keys()).isEmpty();
        assertThat(history(replica)).isEqualTo(history(master));
    }

    @Test
    void clockOfOneServerEndsItsKeys() {
        execute(master, "SET", "a", "1", "PX", "1000");
        master.stepClock(Duration.ofSeconds(1));
        assertThat(execute(master, "PTTL", "a")).isEqualTo(new Reply.Numeric(0));
        master.stepClock(Duration.ofMillis(1));
        assertThat(execute(master, "PTTL", "a")).isEqualTo(new Reply.Numeric(-2));
    }

    @Test
    void refusesWritesOnDemand() {
        master.refuseWrites("NOREPLICAS Not enough good replicas to write.");
        assertThat(acquire(master)).asString().contains("NOREPLICAS");
        master.acceptWrites();
        assertThat(acquire(master)).isInstanceOf(Reply.Several.class);
    }

    @Test
    void refusesUnmodelledCommands() {
        assertThatThrownBy(() -> execute(master, "LPUSH", "a", "1")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> execute(master, "EVAL", "return redis.pcall('LPUSH', 'a', '1')", "0"))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseInstanceOf(UnsupportedOperationException.class);
        assertThat(execute(master, "EVAL", "unknown = 1", "0")).asString().contains("readonly table");
        assertThat(execute(master, "EVAL", "return os.time()", "0")).asString().contains("nonexistent global");
        assertThat(execute(master, "EVAL", "return (", "0")).asString().contains("Error compiling script");
    }

    private SimRedis server() {
        return new SimRedis(LUA, () -> micros, this::id);
    }

    private String id() {
        StringBuilder id = new StringBuilder();
        random.ints(40, 0, 16).forEach(digit -> id.append(Integer.toHexString(digit)));
        return id.toString();
    }

    private void restart() {
        master.stop();
        master.start();
    }

    /** The second grant finds the marker of the first one, and leaves the note. */
    private void acquireTwice() {
        acquire(master);
        String marker = get(master, "l:history");
        execute(master, "DEL", "l:{a}");
        String[] words = acquisition();
        words[6] = marker;
        execute(master, command(LockScript.ACQUIRE, 6, words));
    }

    private static Reply acquire(SimRedis server) {
        return execute(server, command(LockScript.ACQUIRE, 6, acquisition()));
    }

    private static String[] acquisition() {
        return new String[] {
            "l:{a}",
            "l:{a}:waiters",
            "l:fence",
            "l:history",
            "l:history:checked",
            "l:history:takeovers",
            "",
            "50",
            "",
            TOKEN,
            "1000",
            "0",
            "",
            "1"
        };
    }

    private static String[] command(LockScript script, int keys, String... words) {
        return Stream.concat(Stream.of("EVAL", script.text(), Integer.toString(keys)), Stream.of(words))
                .toArray(String[]::new);
    }

    private static Reply execute(SimRedis server, String... words) {
        return server.execute(List.of(words));
    }

    private static void set(SimRedis server, String key, String value) {
        assertThat(execute(server, "SET", key, value)).isEqualTo(Reply.OK);
    }

    private static String get(SimRedis server, String key) {
        return ((Reply.Text) execute(server, "GET", key)).value();
    }

    private static String info(SimRedis server) {
        return ((Reply.Text) execute(server, "INFO")).value();
    }

    private static String history(SimRedis server) {
        return info(server)
                .lines()
                .filter(line -> line.startsWith("master_replid:"))
                .findFirst()
                .orElseThrow()
                .substring("master_replid:".length());
    }
}
