package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.demo.KebabCase;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Page views in Redis. The hash {@code demo:pview:{<variant>:<page>}} contains {@code views} and {@code fence} (newest
 * fencing token); the set {@code …:counted} contains the requests counted within the last hour. A real counter should
 * use {@code HINCRBY}, as {@link #increment} does; the other methods represent any read-modify-write.
 *
 * <p>A fencing token is registered before the read and checked again by the write. Without one, the last write wins.
 * Each request is counted once, even if a client repeats a script after losing the reply.
 */
public final class ViewStore implements AutoCloseable {

    private static final Duration MEMORY = Duration.ofHours(1);
    private static final RedisScript<String> OPEN =
            RedisScript.of(new ClassPathResource("open.lua", ViewStore.class), String.class);
    private static final RedisScript<String> WRITE =
            RedisScript.of(new ClassPathResource("write.lua", ViewStore.class), String.class);
    private static final RedisScript<String> INCREMENT =
            RedisScript.of(new ClassPathResource("increment.lua", ViewStore.class), String.class);

    private final StringRedisTemplate redis;
    private final Runnable disconnect;

    ViewStore(StringRedisTemplate redis, Runnable disconnect) {
        this.redis = redis;
        this.disconnect = disconnect;
    }

    /** Connects to a local Redis separately. */
    public static ViewStore at(int port) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
        connections.afterPropertiesSet();
        connections.start();
        return new ViewStore(new StringRedisTemplate(connections), connections::destroy);
    }

    public enum Status {
        DONE,
        /** The same request had already been counted; nothing was written. */
        COUNTED,
        /** A newer holder has opened the page; nothing was written. */
        OVERTAKEN
    }

    /** The answer of the store, with the current number of views. */
    public record Answer(Status status, long views) {}

    /** Reads the views in order to change them. */
    public Answer open(View view, OptionalLong fence) {
        return run(OPEN, view, fence);
    }

    /** Writes the views, including this one. */
    public Answer write(View view, long views, OptionalLong fence) {
        return run(WRITE, view, fence, Long.toString(views), Long.toString(MEMORY.toSeconds()));
    }

    /** Counts a view atomically in the store. */
    public Answer increment(View view) {
        return run(INCREMENT, view, OptionalLong.empty(), Long.toString(MEMORY.toSeconds()));
    }

    @Override
    public void close() {
        disconnect.run();
    }

    private Answer run(RedisScript<String> script, View view, OptionalLong fence, String... more) {
        Object[] arguments = new Object[2 + more.length];
        arguments[0] = fence.isPresent() ? Long.toString(fence.getAsLong()) : "";
        arguments[1] = view.request();
        System.arraycopy(more, 0, arguments, 2, more.length);
        String key = view.variant().storeKey(view.page());
        String[] answer =
                redis.execute(script, List.of(key, key + ":counted"), arguments).split(" ", 2);
        return new Answer(KebabCase.find(Status.class, answer[0]).orElseThrow(), Long.parseLong(answer[1]));
    }
}
