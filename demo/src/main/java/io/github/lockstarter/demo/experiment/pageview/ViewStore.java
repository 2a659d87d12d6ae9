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
 * Page views in Redis: the hash {@code demo:pview:{<variant>:<page>}} with {@code views} and {@code fence} (newest
 * fencing token), and the set {@code demo:pview:{<variant>:<page>}:counted} of requests that have been counted within
 * the last hour. (The right tool for a counter is {@code HINCRBY}, which {@link #increment} uses. The rest stands for
 * every read-modify-write that has no such command.)
 *
 * <p>With a fencing token it is fenced: the token is registered before the views are read, and checked again at the
 * write. Without one, the last write wins. A request is counted once, however often it is repeated: each script
 * may be executed again by a client that has lost the answer.
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

    /** The store in the Redis of this machine at that port, over a connection of its own. */
    public static ViewStore at(int port) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
        connections.afterPropertiesSet();
        connections.start();
        return new ViewStore(new StringRedisTemplate(connections), connections::destroy);
    }

    /** What became of a call. */
    public enum Status {
        /** It was done. */
        DONE,
        /** This very request had been counted before; nothing was written. */
        COUNTED,
        /** A newer holder has opened the page; nothing was written. */
        OVERTAKEN
    }

    /**
     * What the store answered.
     *
     * @param status what became of the call
     * @param views views that it has now
     */
    public record Answer(Status status, long views) {}

    /**
     * Reads the views of a page in order to change them.
     *
     * @param view what is to be counted
     * @param fence fencing token of the lock, if there is one
     * @return the views before
     */
    public Answer open(View view, OptionalLong fence) {
        return run(OPEN, view, fence);
    }

    /**
     * Writes the views of a page.
     *
     * @param view what is counted
     * @param views views with this one
     * @param fence fencing token of the lock, if there is one
     * @return the views after
     */
    public Answer write(View view, long views, OptionalLong fence) {
        return run(WRITE, view, fence, Long.toString(views), Long.toString(MEMORY.toSeconds()));
    }

    /**
     * Counts a view in the store itself: nothing comes between its read and its write.
     *
     * @param view what to count
     * @return the views after
     */
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
