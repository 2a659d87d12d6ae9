package io.github.lockstarter.demo.gallery.actor;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The counter that the lock is to protect, in a server of its own: the store of the page views, with its scripts. With
 * a fencing token it is fenced; without one, the last write wins.
 */
final class Counter implements AutoCloseable {

    private static final String DONE = "done";
    private static final String REMEMBERED_SECONDS = "3600";

    private final Connections connections = new Connections();
    private final RedisCommands<String, String> redis;
    private final String open = script("open.lua");
    private final String write = script("write.lua");

    Counter(int port) {
        this.redis = connections.to(port);
    }

    /** Reads, and shuts older fencing tokens out. Empty when this one is shut out. */
    OptionalLong read(String key, OptionalLong token) {
        String[] answer = run(open, key, text(token), "");
        return answer[0].equals(DONE) ? OptionalLong.of(Long.parseLong(answer[1])) : OptionalLong.empty();
    }

    /** Writes; false when a newer fencing token was seen. */
    boolean write(String key, long value, OptionalLong token) {
        return run(write, key, text(token), UUID.randomUUID().toString(), Long.toString(value), REMEMBERED_SECONDS)[0]
                .equals(DONE);
    }

    /** Adds one in one command. */
    long increment(String key) {
        return redis.hincrby(key, "views", 1);
    }

    @Override
    public void close() {
        connections.close();
    }

    private String[] run(String script, String key, String... arguments) {
        String[] keys = {key, key + ":counted"};
        return redis.<String>eval(script, ScriptOutputType.VALUE, keys, arguments)
                .split(" ", 2);
    }

    private static String text(OptionalLong token) {
        return token.isPresent() ? Long.toString(token.getAsLong()) : "";
    }

    private static String script(String name) {
        try (InputStream content = Objects.requireNonNull(Variant.class.getResourceAsStream(name), name)) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
