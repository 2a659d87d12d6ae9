package io.github.lockstarter.simulation.redis;

import io.github.lockstarter.simulation.redis.Effect.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis 7 server under virtual time: the commands that shipped scripts use, and the scripts themselves. Its answers
 * are determined by the commands, the time and the ids that it is given. Not thread-safe.
 *
 * <p>Modelled: replies and errors of these commands, outside and inside scripts; expiry by the server's clock, which
 * can be stepped; the cache of scripts; subscribers; replicas that lag by a number of writes and accept no writes;
 * promotion, which loses writes that the replica lacks; a process that ends, and restarts with the append-only file,
 * with a snapshot or empty; the ids of histories.
 *
 * <p>Not modelled: several databases, clusters, users, transactions, limits of memory and time; other commands and
 * options, which throw an {@link UnsupportedOperationException}. A new replica immediately receives a copy of
 * everything and no id of an earlier history; a snapshot does not contain the id either. {@code WAIT} answers at once
 * with the number of replicas that have all writes. Connections do not end here: the network simulates that.
 */
public class SimRedis implements LuaInterpreter.Server {

    private static final String NO_HISTORY = "0".repeat(40);
    private static final long SECOND = 1_000_000;

    private final LuaInterpreter lua;
    private final LongSupplier time;
    private final Supplier<String> ids;
    private final Keyspace keyspace = new Keyspace();
    private final LiveKeys keys = new LiveKeys(keyspace, this::micros);
    private final KeyCommands commands = new KeyCommands(keys);
    private final Map<String, List<Subscriber>> subscribers = new TreeMap<>();
    private final Set<String> knownScripts = new TreeSet<>();
    private final List<SimRedis> replicas = new ArrayList<>();
    private @Nullable SimRedis master;
    private @Nullable Keyspace appendOnlyFile;
    private Map<String, Stored> snapshot = Map.of();
    private @Nullable String refusal;
    private String history = NO_HISTORY;
    private String historyBefore = NO_HISTORY;
    private String address = "";
    private long offset;
    private long step;
    private long startedAt;
    private boolean running;
    private boolean inScript;

    /** Receives the messages of a channel while the server executes; must not call it. */
    public interface Subscriber {

        /** A message was published. */
        void receive(String channel, String message);
    }

    /**
     * Starts an empty master.
     *
     * @param lua runs the scripts
     * @param time in microseconds since 1970
     * @param ids gives another id with each call, of 40 hexadecimal digits
     */
    public SimRedis(LuaInterpreter lua, LongSupplier time, Supplier<String> ids) {
        this.lua = lua;
        this.time = time;
        this.ids = ids;
        start();
    }

    /** Executes a command that a client sends: its words, the first one in capital letters. */
    public Reply execute(List<String> command) {
        if (!running) {
            throw new IllegalStateException("The server does not run");
        }
        Reply reply =
                switch (command.get(0)) {
                    case "EVAL" -> eval(command);
                    case "EVALSHA" -> evalSha(command);
                    case "SCRIPT" -> flushScripts(command);
                    default -> call(command);
                };
        handOn(keys.takeEffects());
        return reply;
    }

    private Reply eval(List<String> command) {
        String sha = LuaInterpreter.sha(command.get(1));
        String problem = lua.compile(sha, command.get(1));
        if (problem != null) {
            return new Reply.Failure("ERR Error compiling script (new function): " + problem);
        }
        return run(sha, command);
    }

    private Reply evalSha(List<String> command) {
        return knownScripts.contains(command.get(1))
                ? run(command.get(1), command)
                : new Reply.Failure("NOSCRIPT No matching script. Please use EVAL.");
    }

    private Reply run(String sha, List<String> command) {
        OptionalLong count = Digits.integer(command.get(2));
        if (count.isEmpty()) {
            return new Reply.Failure("ERR value is not an integer or out of range");
        }
        if (count.getAsLong() < 0 || count.getAsLong() > command.size() - 3) {
            return new Reply.Failure(
                    count.getAsLong() < 0
                            ? "ERR Number of keys can't be negative"
                            : "ERR Number of keys can't be greater than number of args");
        }
        knownScripts.add(sha);
        int end = 3 + (int) count.getAsLong();
        inScript = true;
        try {
            return lua.run(sha, command.subList(3, end), command.subList(end, command.size()), this);
        } finally {
            inScript = false;
        }
    }

    private Reply flushScripts(List<String> command) {
        if (!command.get(1).equals("FLUSH")) {
            throw KeyCommands.notModelled(command);
        }
        knownScripts.clear();
        beginInterpreter();
        return Reply.OK;
    }

    private void beginInterpreter() {
        address = "table: 0x" + ids.get().substring(0, 12);
    }

    @Override
    public Reply call(List<String> command) {
        String name = command.get(0);
        if (!KeyCommands.hasWords(command)) {
            return new Reply.Failure(
                    inScript
                            ? "ERR Wrong number of args calling Redis command from script"
                            : "ERR wrong number of arguments for '" + name.toLowerCase(Locale.ROOT) + "' command");
        }
        if (KeyCommands.isWrite(command)) {
            String problem = master != null ? "READONLY You can't write against a read only replica." : refusal;
            if (problem != null) {
                return new Reply.Failure(problem);
            }
        }
        return switch (name) {
            case "PING" -> new Reply.Status("PONG");
            case "TIME" -> Reply.ofTexts(micros() / SECOND, micros() % SECOND);
            case "INFO" -> new Reply.Text(info(command));
            case "PUBLISH" -> publish(command.get(1), command.get(2));
            case "PUBSUB" -> countSubscribers(command);
            case "WAIT" -> new Reply.Numeric(upToDate());
            case "FLUSHALL" -> flushAll();
            default -> commands.execute(command);
        };
    }

    @Override
    public void replicate(boolean on) {
        keys.replicate(on);
    }

    @Override
    public String address() {
        return address;
    }

    private Reply flushAll() {
        keyspace.copy().keySet().forEach(keys::delete);
        return Reply.OK;
    }

    private String info(List<String> command) {
        String server =
                "# Server\r\nredis_version:7.0.15\r\nuptime_in_seconds:" + (micros() / SECOND - startedAt) + "\r\n";
        String role = master == null ? "role:master\r\n" : "role:slave\r\nslave_repl_offset:" + offset + "\r\n";
        String replication = "# Replication\r\n" + role + "connected_slaves:" + connected() + "\r\nmaster_replid:"
                + history + "\r\nmaster_replid2:" + historyBefore + "\r\nmaster_repl_offset:" + offset + "\r\n";
        if (command.size() == 1) {
            return server + "\r\n" + replication;
        }
        return switch (command.get(1)) {
            case "server" -> server;
            case "replication" -> replication;
            default -> throw KeyCommands.notModelled(command);
        };
    }

    private long connected() {
        return replicas.stream().filter(replica -> replica.running).count();
    }

    private long upToDate() {
        return replicas.stream()
                .filter(replica -> replica.running && replica.keyspace.behind() == 0)
                .count();
    }

    // Publish and subscribe

    private Reply publish(String channel, String message) {
        keys.add(new Message(channel, message));
        return new Reply.Numeric(deliver(channel, message));
    }

    private int deliver(String channel, String message) {
        List<Subscriber> listening = subscribers.getOrDefault(channel, List.of());
        listening.forEach(subscriber -> subscriber.receive(channel, message));
        return listening.size();
    }

    private Reply countSubscribers(List<String> command) {
        if (command.size() < 2 || !command.get(1).equals("NUMSUB")) {
            throw KeyCommands.notModelled(command);
        }
        List<Reply> counts = new ArrayList<>();
        for (String channel : command.subList(2, command.size())) {
            counts.add(new Reply.Text(channel));
            counts.add(new Reply.Numeric(
                    subscribers.getOrDefault(channel, List.of()).size()));
        }
        return new Reply.Several(counts);
    }

    /** Adds a subscriber of a channel, after earlier ones, until the process ends. */
    public void subscribe(String channel, Subscriber subscriber) {
        List<Subscriber> listening = subscribers.computeIfAbsent(channel, unheard -> new ArrayList<>());
        if (!listening.contains(subscriber)) {
            listening.add(subscriber);
        }
    }

    /** Gets them no more. */
    public void unsubscribe(String channel, Subscriber subscriber) {
        subscribers.getOrDefault(channel, new ArrayList<>()).remove(subscriber);
    }

    // The machine: clock, disk and process

    private long micros() {
        return time.getAsLong() + step;
    }

    /** Sets the clock of this server forward, or back. */
    public void stepClock(Duration by) {
        step += by.toNanos() / 1000;
    }

    /** The keys that exist now, in order. */
    public Map<String, Stored> keys() {
        Map<String, Stored> live = keyspace.copy();
        live.values().removeIf(stored -> keys.millis() > stored.expiresAt());
        return live;
    }

    /** How often a key has changed: as long as this does not grow, it is as it was. */
    public long changes(String key) {
        return keyspace.changes(key);
    }

    /** How many writes there were in this history. */
    public long offset() {
        return offset;
    }

    /** The text of a key that exists now. */
    public Optional<String> text(String key) {
        return Optional.ofNullable(keys().get(key)).filter(Stored::isText).map(Stored::text);
    }

    /** The members of a sorted set and their scores; none if the key does not exist. */
    public Map<String, Double> scores(String key) {
        Stored stored = keys().get(key);
        return stored != null && stored.value() instanceof SortedMap ? stored.scores() : Map.of();
    }

    /** Deletes expired keys, as Redis does from time to time; otherwise commands delete those that they access. */
    public void deleteExpired() {
        keyspace.copy().keySet().forEach(keys::find);
        handOn(keys.takeEffects());
    }

    /** Refuses all writes with an error, such as NOREPLICAS or OOM, from now on. */
    public void refuseWrites(String error) {
        refusal = error;
    }

    public void acceptWrites() {
        refusal = null;
    }

    /** Keeps an append-only file from now on, which loses the given number of last writes when the process ends. */
    public void keepAppendOnlyFile(int lost) {
        Keyspace file = new Keyspace();
        file.replace(keyspace.copy());
        file.lag(lost);
        appendOnlyFile = file;
    }

    /** Saves a snapshot, which the server starts with if it has no append-only file. */
    public void save() {
        snapshot = keyspace.copy();
    }

    /** Ends the process: subscribers and data outside the disk are lost. Replicas keep their data. */
    public void stop() {
        running = false;
        subscribers.clear();
        knownScripts.clear();
        keyspace.replace(appendOnlyFile == null ? snapshot : appendOnlyFile.copy());
        refusal = null;
    }

    /** Starts the process as master or replica, as before. Its replicas receive its data. */
    public final void start() {
        running = true;
        startedAt = micros() / SECOND;
        beginInterpreter();
        history = ids.get();
        historyBefore = NO_HISTORY;
        offset = 0;
        synchronize();
    }

    // Replication

    private void handOn(List<Effect> write) {
        if (write.isEmpty()) {
            return;
        }
        offset++;
        if (appendOnlyFile != null) {
            appendOnlyFile.receive(write);
            for (List<Effect> next = appendOnlyFile.next(); next != null; next = appendOnlyFile.next()) {
                next.forEach(appendOnlyFile::apply);
            }
        }
        for (SimRedis replica : replicas) {
            if (replica.running) {
                replica.keyspace.receive(write);
                replica.catchUp();
            }
        }
    }

    private void catchUp() {
        for (List<Effect> next = keyspace.next(); next != null; next = keyspace.next()) {
            for (Effect effect : next) {
                keyspace.apply(effect);
                if (effect instanceof Message message) {
                    deliver(message.channel(), message.text());
                }
            }
            handOn(next);
        }
    }

    /** As a replica, stays so many writes of the master behind from now on; a very large number is a cut connection. */
    public void lag(int writes) {
        keyspace.lag(writes);
        catchUp();
    }

    /** Becomes a replica of another server, and gets all that it has. */
    public void follow(SimRedis other) {
        leave();
        master = other;
        other.replicas.add(this);
        synchronize();
    }

    /** Whether it is a replica of the other server. */
    public boolean follows(SimRedis other) {
        return master == other;
    }

    /** Becomes a master with its data. Its former master is not notified. */
    public void promote() {
        leave();
        master = null;
        keys.follow(false);
        keyspace.replace(keyspace.copy());
        keyspace.lag(0);
        historyBefore = history;
        history = ids.get();
    }

    private void leave() {
        if (master != null) {
            master.replicas.remove(this);
        }
    }

    private void synchronize() {
        if (master != null && master.running) {
            keys.follow(true);
            keyspace.replace(master.keyspace.copy());
            history = master.history;
            historyBefore = NO_HISTORY;
            offset = master.offset;
        }
        if (appendOnlyFile != null) {
            appendOnlyFile.replace(keyspace.copy());
        }
        replicas.stream().filter(replica -> replica.running).forEach(SimRedis::synchronize);
    }
}
