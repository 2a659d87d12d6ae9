package io.github.lockstarter.simulation.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A simulated master with its replica, and real ones, all empty, with one clock that only moves on request. */
final class ComparedServers implements AutoCloseable {

    /** Each key with its type, value and remaining milliseconds. SCAN deletes expired keys; KEYS does not. */
    private static final String DUMP = """
        local dump = {}
        for _, key in ipairs(redis.call('SCAN', 0, 'COUNT', 1000)[2]) do
          local type = redis.call('TYPE', key).ok
          local read = {string = {'GET', key}, zset = {'ZRANGE', key, 0, -1, 'WITHSCORES'}, hash = {'HGETALL', key}}
          dump[#dump + 1] = {key, type, redis.call(unpack(read[type])), redis.call('PTTL', key)}
        end
        return dump
        """;

    /** Part of the note that scripts withhold from replicas. */
    private static final String NOTE = "table: 0x";

    static final long START = 1_800_000_000_000_000L;

    private final RedisServer server;
    private final RedisServer replicaServer;
    private final RespConnection real;
    private final RespConnection realReplica;
    private final RespConnection subscriber;
    private final SimRedis simulated;
    private final SimRedis simulatedReplica;
    private final List<String> messages = new ArrayList<>();
    private final Set<String> withheld = new TreeSet<>();
    private final List<String> ids = new ArrayList<>();
    private long micros = START;

    /** Makes simulated servers. */
    interface Maker {

        SimRedis make(LuaInterpreter lua, LongSupplier time, Supplier<String> ids);
    }

    ComparedServers(RedisServer server, RedisServer replicaServer, LuaInterpreter lua, Maker maker) {
        this.server = server;
        this.replicaServer = replicaServer;
        this.real = new RespConnection(server);
        this.realReplica = new RespConnection(replicaServer);
        this.subscriber = new RespConnection(server);
        setClock();
        real.execute(List.of("FLUSHALL"));
        real.execute(List.of("SCRIPT", "FLUSH"));
        ids.add(address());
        String history = server.info("replication").get("master_replid");
        ids.add(history);
        long running = Long.parseLong(server.info("server").getOrDefault("uptime_in_seconds", "0"));
        micros = START - running * 1_000_000;
        simulated = maker.make(lua, () -> micros, () -> ids.remove(0));
        simulatedReplica = new SimRedis(lua, () -> micros, () -> history);
        simulatedReplica.follow(simulated);
        micros = START;
        String observed = RandomCommands.channels().get(0);
        subscriber.execute(List.of("SUBSCRIBE", observed));
        simulated.subscribe(observed, (channel, message) -> messages.add(channel + " " + message));
    }

    /** Of a table of the server's Lua, which is another one after each SCRIPT FLUSH. */
    private String address() {
        return text(real.execute(List.of("EVAL", "return tostring(redis)", "0")))
                .substring(NOTE.length());
    }

    RandomCommands commands(Random random) {
        return new RandomCommands(random, simulated);
    }

    /** None, or up to a second, often to the edge of a millisecond, or now and then back. */
    void passTime(Random random) {
        long before = micros;
        micros += switch (random.nextInt(8)) {
            case 0 -> random.nextInt(3_000);
            case 1 -> 20_000 - micros % 1000 + random.nextInt(3) * 1000L - 1;
            case 2 -> random.nextInt(100_000);
            case 3 -> random.nextInt(10) == 0 ? random.nextInt(1_000_000) : 0;
            case 4 -> random.nextInt(10) == 0 ? -random.nextInt(200_000) : 0;
            default -> 0;
        };
        if (micros != before) {
            setClock();
        }
    }

    private void setClock() {
        Instant time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
        server.freezeClock(time);
        replicaServer.freezeClock(time);
    }

    /** Both execute the command, and are the same afterwards. */
    void execute(List<String> command, String description) {
        Reply expected = real.execute(command);
        ids.add(address());
        Reply reply = simulated.execute(command);
        ids.clear();
        assertThat(reply).as("%s: %s", description, command).isEqualTo(expected);
        simulated.deleteExpired(); // as SCAN does
        assertThat(contents(simulated.keys()))
                .as("%s: %s", description, command)
                .isEqualTo(contentsOf(real));
        simulated.keys().forEach((key, stored) -> {
            if (stored.isText() && stored.text().contains(NOTE)) {
                withheld.add(key);
            }
        });
        assertThat(messages).as("%s: %s", description, command).isEqualTo(realMessages());
        messages.clear();
    }

    /** The replicas have the same, as soon as they have all; but for keys that held a note ({@link Effect}). */
    void compareReplicas(String description) {
        assertThat(real.execute(List.of("WAIT", "1", "5000"))).as(description).isEqualTo(new Reply.Numeric(1));
        Map<String, Stored> expected = contentsOf(realReplica);
        expected.keySet().removeAll(withheld);
        Map<String, Stored> found = contents(simulatedReplica.keys());
        found.keySet().removeAll(withheld);
        assertThat(found).as(description).isEqualTo(expected);
    }

    private Map<String, Stored> contentsOf(RespConnection real) {
        Map<String, Stored> contents = new TreeMap<>();
        Reply.Several dump = (Reply.Several) real.execute(List.of("EVAL", DUMP, "0"));
        for (Reply each : dump.parts()) {
            List<Reply> key = ((Reply.Several) each).parts();
            long left = ((Reply.Numeric) key.get(3)).value();
            long end = left == -1 ? Stored.NEVER : Math.floorDiv(micros, 1000) + left;
            Object value =
                    switch (text(key.get(1))) {
                        case "string" -> text(key.get(2));
                        case "hash" -> fields((Reply.Several) key.get(2));
                        default -> scores((Reply.Several) key.get(2));
                    };
            contents.put(text(key.get(0)), new Stored(value, end));
        }
        return contents(contents);
    }

    private static Map<String, Double> scores(Reply.Several members) {
        Map<String, Double> scores = new TreeMap<>();
        for (int i = 0; i < members.parts().size(); i += 2) {
            String score = text(members.parts().get(i + 1));
            scores.put(text(members.parts().get(i)), Digits.decimal(score).orElseThrow());
        }
        return scores;
    }

    private static Map<String, String> fields(Reply.Several all) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < all.parts().size(); i += 2) {
            fields.put(text(all.parts().get(i)), text(all.parts().get(i + 1)));
        }
        return fields;
    }

    /** Times left are as Lua counts. */
    private Map<String, Stored> contents(Map<String, Stored> keys) {
        long now = Math.floorDiv(micros, 1000);
        keys.replaceAll((key, stored) -> stored.expiresAt() == Stored.NEVER
                ? stored
                : stored.until(now + (long) (double) (stored.expiresAt() - now)));
        return keys;
    }

    /** A ping is answered after all messages. */
    private List<String> realMessages() {
        List<String> received = new ArrayList<>();
        subscriber.send(List.of("PING", "end"));
        while (true) {
            List<Reply> message = ((Reply.Several) subscriber.receive()).parts();
            if (text(message.get(0)).equals("pong")) {
                return received;
            }
            received.add(text(message.get(1)) + " " + text(message.get(2)));
        }
    }

    private static String text(Reply reply) {
        return ((Reply.Text) reply).value();
    }

    @Override
    public void close() {
        real.close();
        realReplica.close();
        subscriber.close();
    }
}
