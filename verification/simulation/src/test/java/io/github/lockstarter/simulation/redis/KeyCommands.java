package io.github.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The commands for keys that shipped scripts use, in the forms that they use. */
final class KeyCommands {

    private static final Set<String> WRITES =
            Set.of("SET", "DEL", "INCRBY", "PEXPIRE", "HSET", "HDEL", "ZADD", "ZREM", "ZPOPMIN", "FLUSHALL");

    /** How many words a command has, itself included; at least so many if negative. */
    private static final Map<String, Integer> WORDS = Map.ofEntries(
            Map.entry("GET", 2),
            Map.entry("MGET", -2),
            Map.entry("SET", -3),
            Map.entry("DEL", -2),
            Map.entry("EXISTS", -2),
            Map.entry("INCRBY", 3),
            Map.entry("PTTL", 2),
            Map.entry("PEXPIRE", -3),
            Map.entry("HSET", -4),
            Map.entry("HMGET", -3),
            Map.entry("HGETALL", 2),
            Map.entry("HDEL", -3),
            Map.entry("ZADD", -4),
            Map.entry("ZREM", -3),
            Map.entry("ZSCORE", 3),
            Map.entry("ZCARD", 2),
            Map.entry("ZPOPMIN", -2),
            Map.entry("ZRANGEBYSCORE", 7),
            Map.entry("PUBLISH", 3));

    private static final String NO_INTEGER = "ERR value is not an integer or out of range";

    private final LiveKeys keys;

    KeyCommands(LiveKeys keys) {
        this.keys = keys;
    }

    /** Ends a command without an effect. */
    private static final class Refusal extends RuntimeException {

        private static final long serialVersionUID = 1;

        Refusal(String text) {
            super(text, null, false, false);
        }
    }

    static boolean isWrite(List<String> command) {
        return WRITES.contains(command.get(0));
    }

    /** Whether a command may have so many words. */
    static boolean hasWords(List<String> command) {
        int words = WORDS.getOrDefault(command.get(0), -1);
        return words < 0 ? command.size() >= -words : command.size() == words;
    }

    /** Executes a command that {@link #hasWords}. */
    Reply execute(List<String> command) {
        String key = command.get(1);
        try {
            return switch (command.get(0)) {
                case "GET" -> textOf(texts(key));
                case "MGET" ->
                    new Reply.Several(of(command).stream().map(this::textIfText).toList());
                case "SET" -> set(key, command);
                case "DEL" ->
                    new Reply.Numeric(of(command).stream().filter(this::delete).count());
                case "EXISTS" ->
                    new Reply.Numeric(of(command).stream()
                            .filter(each -> keys.find(each) != null)
                            .count());
                case "INCRBY" -> increase(key, command.get(2));
                case "PTTL" -> new Reply.Numeric(millisLeft(keys.find(key)));
                case "PEXPIRE" -> expire(key, command);
                case "HSET" -> putField(key, command);
                case "HMGET" -> texts(fields(key), command);
                case "HGETALL" -> all(fields(key));
                case "HDEL" -> removeFields(key, command);
                case "ZADD" -> addMember(key, command);
                case "ZREM" -> removeMember(key, command);
                case "ZSCORE" -> score(scores(key), command.get(2));
                case "ZCARD" -> new Reply.Numeric(size(scores(key)));
                case "ZPOPMIN" -> removeLowest(key, command);
                case "ZRANGEBYSCORE" -> lowestAbove(scores(key), command);
                default -> throw notModelled(command);
            };
        } catch (Refusal refusal) {
            return new Reply.Failure(String.valueOf(refusal.getMessage()));
        }
    }

    static UnsupportedOperationException notModelled(List<String> command) {
        return new UnsupportedOperationException("Not modelled: " + command);
    }

    private static List<String> of(List<String> command) {
        return command.subList(1, command.size());
    }

    private static long number(String text) {
        OptionalLong number = Digits.integer(text);
        if (number.isEmpty()) {
            throw new Refusal(NO_INTEGER);
        }
        return number.getAsLong();
    }

    /** A key that has a text or does not exist. */
    private @Nullable Stored texts(String key) {
        return checked(keys.find(key), String.class);
    }

    /** A key that has a sorted set or does not exist. */
    private @Nullable Stored scores(String key) {
        return checked(keys.find(key), SortedMap.class);
    }

    /** A key that has a hash or does not exist. */
    private @Nullable Stored fields(String key) {
        return checked(keys.find(key), LinkedHashMap.class);
    }

    private static @Nullable Stored checked(@Nullable Stored stored, Class<?> type) {
        if (stored != null && !type.isInstance(stored.value())) {
            throw new Refusal("WRONGTYPE Operation against a key holding the wrong kind of value");
        }
        return stored;
    }

    private static Reply textOf(@Nullable Stored stored) {
        return stored == null ? Reply.NIL : new Reply.Text(stored.text());
    }

    private Reply textIfText(String key) {
        Stored stored = keys.find(key);
        return textOf(stored != null && stored.isText() ? stored : null);
    }

    private Reply set(String key, List<String> command) {
        boolean ifAbsent = false;
        boolean ifPresent = false;
        boolean keepsEnd = false;
        String millis = null;
        for (int i = 3; i < command.size(); i++) {
            switch (command.get(i)) {
                case "NX" -> ifAbsent = true;
                case "XX" -> ifPresent = true;
                case "KEEPTTL" -> keepsEnd = true;
                case "PX" -> millis = ++i < command.size() ? command.get(i) : "";
                default -> throw notModelled(command);
            }
        }
        if ((ifAbsent && ifPresent) || (keepsEnd && millis != null) || "".equals(millis)) {
            return new Reply.Failure(
                    "".equals(millis) && command.get(command.size() - 1).isEmpty() ? NO_INTEGER : "ERR syntax error");
        }
        long end = millis == null ? Stored.NEVER : end(number(millis), 1, "set");
        Stored before = keys.find(key);
        if (before == null ? ifPresent : ifAbsent) {
            return Reply.NIL;
        }
        keys.put(key, new Stored(command.get(2), keepsEnd && before != null ? before.expiresAt() : end));
        return Reply.OK;
    }

    private long end(long millis, long least, String command) {
        if (millis < least || millis > Long.MAX_VALUE - keys.millis()) {
            throw new Refusal("ERR invalid expire time in '" + command + "' command");
        }
        return keys.millis() + millis;
    }

    private boolean delete(String key) {
        boolean exists = keys.find(key) != null;
        if (exists) {
            keys.delete(key);
        }
        return exists;
    }

    private Reply increase(String key, String by) {
        long step = number(by);
        Stored stored = texts(key);
        long before = stored == null ? 0 : number(stored.text());
        long after = before + step;
        if (((before ^ after) & (step ^ after)) < 0) {
            return new Reply.Failure("ERR increment or decrement would overflow");
        }
        Stored base = stored == null ? new Stored("", Stored.NEVER) : stored;
        keys.put(key, base.withText(Long.toString(after)));
        return new Reply.Numeric(after);
    }

    private long millisLeft(@Nullable Stored stored) {
        if (stored == null) {
            return -2;
        }
        return stored.expiresAt() == Stored.NEVER ? -1 : stored.expiresAt() - keys.millis();
    }

    private Reply expire(String key, List<String> command) {
        if (command.size() > 3) {
            throw notModelled(command);
        }
        long end = end(number(command.get(2)), Long.MIN_VALUE, "pexpire");
        Stored stored = keys.find(key);
        if (stored == null) {
            return new Reply.Numeric(0);
        }
        if (end <= keys.millis()) {
            keys.delete(key);
        } else {
            keys.put(key, stored.until(end));
        }
        return new Reply.Numeric(1);
    }

    private Reply putField(String key, List<String> command) {
        if (command.size() != 4) {
            throw notModelled(command);
        }
        Stored stored = fields(key);
        Stored base = stored == null ? new Stored(new LinkedHashMap<String, String>(), Stored.NEVER) : stored;
        keys.put(key, base.withField(command.get(2), command.get(3)));
        return new Reply.Numeric(base.fields().containsKey(command.get(2)) ? 0 : 1);
    }

    private static Reply texts(@Nullable Stored stored, List<String> command) {
        List<Reply> texts = new ArrayList<>();
        for (String field : command.subList(2, command.size())) {
            String text = stored == null ? null : stored.fields().get(field);
            texts.add(text == null ? Reply.NIL : new Reply.Text(text));
        }
        return new Reply.Several(texts);
    }

    private static Reply all(@Nullable Stored stored) {
        List<Reply> all = new ArrayList<>();
        if (stored != null) {
            stored.fields().forEach((field, text) -> {
                all.add(new Reply.Text(field));
                all.add(new Reply.Text(text));
            });
        }
        return new Reply.Several(all);
    }

    private Reply removeFields(String key, List<String> command) {
        int removed = 0;
        for (String field : command.subList(2, command.size())) {
            Stored stored = fields(key);
            if (stored != null && stored.fields().containsKey(field)) {
                removed++;
                if (stored.fields().size() == 1) {
                    keys.delete(key);
                } else {
                    keys.put(key, stored.withoutField(field));
                }
            }
        }
        return new Reply.Numeric(removed);
    }

    private Reply addMember(String key, List<String> command) {
        if (command.size() != 4) {
            throw notModelled(command);
        }
        OptionalDouble score = Digits.decimal(command.get(2));
        if (score.isEmpty()) {
            return new Reply.Failure("ERR value is not a valid float");
        }
        Stored stored = scores(key);
        Stored base = stored == null ? new Stored(new TreeMap<String, Double>(), Stored.NEVER) : stored;
        keys.put(key, base.withScore(command.get(3), score.getAsDouble()));
        return new Reply.Numeric(base.scores().containsKey(command.get(3)) ? 0 : 1);
    }

    private Reply removeMember(String key, List<String> command) {
        if (command.size() != 3) {
            throw notModelled(command);
        }
        Stored stored = scores(key);
        if (stored == null || !stored.scores().containsKey(command.get(2))) {
            return new Reply.Numeric(0);
        }
        remove(key, stored, command.get(2));
        return new Reply.Numeric(1);
    }

    /** A sorted set without members does not exist. */
    private void remove(String key, Stored stored, String member) {
        if (stored.scores().size() == 1) {
            keys.delete(key);
        } else {
            keys.put(key, stored.without(member));
        }
    }

    private static Reply score(@Nullable Stored stored, String member) {
        Double score = stored == null ? null : stored.scores().get(member);
        return score == null ? Reply.NIL : new Reply.Text(Digits.of(score));
    }

    private static int size(@Nullable Stored stored) {
        return stored == null ? 0 : stored.scores().size();
    }

    /** Only {@code (score +inf LIMIT 0 1}. */
    private static Reply lowestAbove(@Nullable Stored stored, List<String> command) {
        if (!command.get(2).startsWith("(") || !command.subList(3, 7).equals(List.of("+inf", "LIMIT", "0", "1"))) {
            throw notModelled(command);
        }
        double above = Double.parseDouble(command.get(2).substring(1));
        return stored == null
                ? new Reply.Several(List.of())
                : stored.scores().entrySet().stream()
                        .filter(each -> each.getValue() > above)
                        .min(Map.Entry.<String, Double>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                        .map(each -> Reply.ofTexts(each.getKey()))
                        .orElse(new Reply.Several(List.of()));
    }

    private Reply removeLowest(String key, List<String> command) {
        if (command.size() != 2) {
            throw notModelled(command);
        }
        Stored stored = scores(key);
        if (stored == null) {
            return Reply.ofTexts();
        }
        Map.Entry<String, Double> lowest = stored.lowest();
        remove(key, stored, lowest.getKey());
        return Reply.ofTexts(lowest.getKey(), Digits.of(lowest.getValue()));
    }
}
