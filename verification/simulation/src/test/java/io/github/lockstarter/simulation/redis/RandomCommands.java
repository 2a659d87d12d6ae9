package io.github.lockstarter.simulation.redis;

import io.github.lockstarter.redis.KeySpace;
import io.github.lockstarter.redis.LockScript;
import io.github.lockstarter.spi.Slots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Commands drawn by lot: calls of the shipped scripts as their heads document them, one in five of them altered, and
 * commands by which another program could have written the same keys.
 */
final class RandomCommands {

    private static final List<String> LOCKS = List.of("l:{a}", "l:{b}", "l:{c}");
    private static final List<String> INSTANCES = List.of(
            "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210", "00112233445566778899aabbccddeeff");
    private static final List<String> LABELS = List.of("", "|host-1", "|host-1|60", "|host-2|60+", "|host-2|500");
    private static final List<String> MILLIS = List.of("1", "20", "50", "60", "300", "1000", "30000");
    private static final List<String> ODD = List.of(
            "",
            "0",
            "-1",
            "1.5",
            "abc",
            "1e3",
            " 7",
            "-0",
            "007",
            "9223372036854775807",
            "-9223372036854775808",
            "9007199254740993",
            "1000000000000000",
            "0x10",
            "inf",
            "%kept",
            "0.1",
            "1e300",
            "-1e-7");
    private static final String HISTORY = "l:history";
    private static final String CHECKED = "l:history:checked";
    private static final String TAKEOVERS = "l:history:takeovers";
    private static final String FENCE = "l:fence";

    private final Random random;
    private final SimRedis server;

    /**
     * Draws random commands.
     *
     * @param server whose keys a client could know
     */
    RandomCommands(Random random, SimRedis server) {
        this.random = random;
        this.server = server;
    }

    static List<String> channels() {
        return INSTANCES.stream().map(instance -> "l:mailbox:" + instance).toList();
    }

    /** The next command. */
    List<String> next() {
        int lot = random.nextInt(100);
        if (lot < 75) {
            return script();
        }
        return lot < 76 ? any(List.of(List.of("SCRIPT", "FLUSH"), List.of("FLUSHALL"))) : keyCommand();
    }

    private List<String> script() {
        LockScript script = any(List.of(LockScript.values()));
        List<String> keys = new ArrayList<>();
        List<String> arguments = new ArrayList<>();
        String lock = any(LOCKS);
        switch (script) {
            case ACQUIRE -> acquire(lock, keys, arguments);
            case ACQUIRE_PERMIT -> acquirePermit(lock, keys, arguments);
            case ACQUIRE_READ -> acquireRead(lock, keys, arguments);
            case RENEW -> renew(keys, arguments);
            case RELEASE -> release(lock, keys, arguments);
            case RELEASE_READ -> {
                keys.addAll(slotsOfReaders(lock));
                String slot = any(keys);
                boolean revokes = random.nextInt(4) == 0;
                String token = revokes ? text(slot) : holder(slot);
                arguments.addAll(List.of(token, name(), optional("uncounted"), revokes ? "revoked" : ""));
                keys.addAll(List.of(lock, waiters(lock)));
            }
            case BEAT -> {
                keys.addAll(List.of(HISTORY, TAKEOVERS));
                keys.addAll(LOCKS.subList(0, random.nextInt(LOCKS.size() + 1)));
                arguments.addAll(List.of(known(), millis(), any(INSTANCES)));
            }
            case ACKNOWLEDGE -> {
                String instance = any(INSTANCES);
                keys.add(TAKEOVERS);
                arguments.addAll(List.of(instance, beginOfTrace(instance), optional("+")));
            }
            case INSPECT -> {
                if (random.nextBoolean()) {
                    keys.addAll(slotsOfReaders(lock));
                }
                keys.addAll(List.of(lock, waiters(lock), HISTORY, TAKEOVERS));
                arguments.addAll(List.of(known(), millis()));
            }
        }
        if (random.nextInt(5) == 0) {
            alter(random.nextBoolean() ? keys : arguments);
        }
        List<String> command = new ArrayList<>();
        boolean bySha = random.nextInt(4) != 0;
        command.add(bySha ? "EVALSHA" : "EVAL");
        command.add(bySha ? script.sha() : script.text());
        command.add(Integer.toString(keys.size()));
        command.addAll(keys);
        command.addAll(arguments);
        return command;
    }

    private void acquire(String lock, List<String> keys, List<String> arguments) {
        boolean alone = random.nextBoolean();
        List<String> locks = alone ? List.of(lock) : LOCKS.subList(0, 1 + random.nextInt(LOCKS.size()));
        keys.addAll(locks);
        locks.forEach(each -> keys.add(waiters(each)));
        keys.addAll(List.of(FENCE, HISTORY, CHECKED, TAKEOVERS));
        arguments.addAll(List.of(known(), grace(), millis()));
        for (String each : locks) {
            String floor = alone && random.nextInt(5) == 0 ? fencing(lock) : "0";
            arguments.addAll(List.of(token(each), millis(), floor, any(List.of("", "=", "name"))));
        }
        if (alone) {
            arguments.addAll(block());
            if (random.nextInt(3) == 0) {
                arguments.add("time");
            }
        }
    }

    private void acquirePermit(String lock, List<String> keys, List<String> arguments) {
        int permits = 2 + random.nextInt(3);
        IntStream.range(0, permits).forEach(slot -> keys.add(KeySpace.slotOf(lock, slot)));
        keys.addAll(List.of(waiters(lock), FENCE, HISTORY, CHECKED, TAKEOVERS));
        arguments.addAll(
                List.of(known(), grace(), millis(), token(lock), millis(), "0", any(List.of("", "=", "name"))));
        arguments.addAll(block());
        arguments.add(optional("time"));
    }

    private void acquireRead(String lock, List<String> keys, List<String> arguments) {
        keys.addAll(slotsOfReaders(lock));
        keys.addAll(List.of(lock, waiters(lock), FENCE, HISTORY, CHECKED, TAKEOVERS));
        arguments.addAll(
                List.of(known(), grace(), millis(), token(lock), millis(), "0", any(List.of("", "=", "name"))));
        arguments.addAll(block());
        arguments.addAll(List.of(any(List.of("read", "write")), optional("uncounted"), optional("time")));
    }

    private static List<String> slotsOfReaders(String lock) {
        return IntStream.range(0, 3)
                .mapToObj(slot -> KeySpace.slotOf(lock, Slots.OF_READERS.from() + slot))
                .toList();
    }

    private List<String> block() {
        String block = random.nextInt(3) == 0 ? Integer.toString(1 + random.nextInt(9)) : "1";
        return List.of(block, random.nextBoolean() ? "" : any(ODD.subList(0, 4)));
    }

    private void release(String lock, List<String> keys, List<String> arguments) {
        if (random.nextBoolean()) {
            keys.addAll(LOCKS);
            LOCKS.forEach(each -> keys.add(waiters(each)));
            LOCKS.forEach(each -> arguments.addAll(List.of(holder(each), name())));
        } else {
            keys.addAll(List.of(lock, waiters(lock)));
            String wait = any(List.of("ends0", "ends" + millis(), "revoked", millis(), ""));
            String token = wait.equals("revoked") ? text(lock) : holder(lock);
            arguments.addAll(List.of(token, name(), optional("uncounted"), wait));
            if (random.nextInt(3) == 0) {
                arguments.addAll(List.of(millis(), fencing(lock)));
            }
        }
    }

    private void renew(List<String> keys, List<String> arguments) {
        List<String> locks = LOCKS.subList(0, 1 + random.nextInt(LOCKS.size()));
        keys.addAll(locks);
        keys.addAll(List.of(HISTORY, FENCE, TAKEOVERS));
        arguments.addAll(List.of(known(), grace(), any(List.of("0", "50"))));
        locks.forEach(each -> arguments.addAll(List.of(holder(each), millis(), fencing(each))));
    }

    private List<String> keyCommand() {
        String key = random.nextInt(3) == 0
                ? any(List.of(FENCE, HISTORY, CHECKED, TAKEOVERS))
                : random.nextBoolean() ? any(LOCKS) : waiters(any(LOCKS));
        String text = random.nextBoolean() ? any(ODD) : millis();
        String member = any(INSTANCES);
        String field = any(List.of("before", "doubt:" + member, "taken:" + member));
        return any(List.of(
                List.of("GET", key),
                List.of("SET", key, text),
                List.of("SET", key, text, "PX", random.nextInt(4) == 0 ? any(ODD) : millis()),
                List.of("SET", key, text, "PX", millis(), random.nextBoolean() ? "NX" : "XX"),
                List.of("SET", key, text, "KEEPTTL"),
                List.of("SET", key, text, "KEEPTTL", "PX", millis()),
                List.of("SET", key, text, "PX"),
                List.of("MGET", key, any(LOCKS), HISTORY),
                List.of("DEL", key, waiters(any(LOCKS))),
                List.of("DEL", waiters(any(LOCKS))),
                List.of("EXISTS", key, key, any(LOCKS)),
                List.of("INCRBY", key, text),
                List.of("PTTL", key),
                List.of("PEXPIRE", key, random.nextInt(4) == 0 ? any(ODD) : millis()),
                List.of("HSET", TAKEOVERS, field, text + ' ' + millis()),
                List.of("HSET", key, field, text),
                List.of("HMGET", key, field, "before", member),
                List.of("HGETALL", key),
                List.of("HDEL", key, field, member, field),
                List.of("ZADD", waiters(any(LOCKS)), text, member),
                List.of("ZADD", key, text, any(ODD)),
                List.of("ZREM", key, member),
                List.of("ZSCORE", key, member),
                List.of("ZCARD", key),
                List.of("ZPOPMIN", key),
                List.of("ZRANGEBYSCORE", key, '(' + millis(), "+inf", "LIMIT", "0", "1"),
                List.of("GET"),
                List.of("INCRBY", key),
                List.of("TIME"),
                List.of("PUBLISH", any(channels()), text),
                List.of("PUBSUB", "NUMSUB", any(channels()), key)));
    }

    /** As a client that is wrong, or of another version, could send it. */
    private void alter(List<String> words) {
        if (words.isEmpty()) {
            return;
        }
        int place = random.nextInt(words.size());
        switch (random.nextInt(4)) {
            case 0 -> words.remove(place);
            case 1 -> words.set(place, any(ODD));
            case 2 -> words.set(place, any(List.of(FENCE, HISTORY, any(LOCKS), waiters(any(LOCKS)))));
            default -> words.add(place, any(ODD));
        }
    }

    private String token(String lock) {
        return random.nextInt(4) == 0 ? holder(lock) : any(INSTANCES) + ":" + random.nextInt(3) + any(LABELS);
    }

    /** Usually the owner's token. */
    private String holder(String lock) {
        String owner = text(lock);
        return random.nextInt(4) == 0 || !owner.contains(" ")
                ? any(INSTANCES) + ":1" + any(LABELS)
                : owner.substring(owner.indexOf(' ') + 1);
    }

    private String fencing(String lock) {
        String owner = text(lock);
        return random.nextInt(4) == 0 || owner.length() < 16 ? any(ODD.subList(0, 3)) : owner.substring(0, 16);
    }

    private String known() {
        return random.nextInt(3) == 0 ? any(List.of("", "-", "0".repeat(40))) : text(HISTORY);
    }

    private String grace() {
        return any(List.of("1", "50", "300", "1"));
    }

    private String name() {
        return optional("name");
    }

    private String optional(String text) {
        return random.nextBoolean() ? text : "";
    }

    private String millis() {
        return any(MILLIS);
    }

    private String text(String key) {
        Map<String, Stored> keys = server.keys();
        return keys.containsKey(key) && keys.get(key).isText() ? keys.get(key).text() : "";
    }

    private String beginOfTrace(String instance) {
        Stored takeovers = server.keys().get(TAKEOVERS);
        String trace = takeovers != null && takeovers.value() instanceof LinkedHashMap
                ? takeovers.fields().getOrDefault("taken:" + instance, "")
                : "";
        return trace.split(" ", -1)[0];
    }

    private static String waiters(String lock) {
        return lock + ":waiters";
    }

    private <T> T any(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
