package io.github.lockstarter.redis;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which {@link KeyLayout} a store has: one fencing counter and one history for all locks, or both in each hash slot.
 * One address may lead to one server or to shards, which only a trial shows.
 * <p><b>Invariant: all clients of a store and prefix that get locks use one layout.</b> With two, fencing tokens come
 * from two counters, and each history guards a part of the clients only. Three rules keep it:
 * <ul>
 * <li>The store decides, not the client. One script reaches {@value CallQueue#MOST} locks with different hash tags, or
 * it does not; that depends neither on time nor on the client. What proves nothing, such as a timeout, a break or
 * another refusal, fails the connection and decides nothing.
 * <li>In the cluster layout behind one address, the key {@code <prefix>history} is a sorted set. So a client that is
 * configured or decided otherwise gets no lock: the scripts of the standalone layout fail at the sorted set, if the
 * shards do not refuse them. (Shards that are added while clients run are an operator's task: all clients stop first,
 * since a proxy that routes by the first key may not lead a script to the sorted set.) A client of the cluster layout
 * does not start where that key is a string, unless there are shards. While it runs, it replaces a string, which
 * another client wrote after the data were lost.
 * <li>The first connection is used for a lock only after the decision, which is final for the backend.
 * </ul>
 * <p>The thread that opens connections decides; all threads read.
 */
final class LayoutDecision {

    private static final String TOKEN = "start-check";

    private static final String REMEDY = "Remove key-layout, or stop all clients and delete that key";

    /** Number of deleted keys of a lock that the script did not reach. */
    private static final long NOT_REACHED = 1;

    private final RedisConnector connector;
    private final RedisSettings settings;
    private final String claim;
    private volatile KeyLayout layout;

    /** @throws IllegalArgumentException if the topology has another layout than the configured one */
    LayoutDecision(RedisConnector connector, RedisSettings settings) {
        this.connector = connector;
        this.settings = settings;
        this.claim = settings.keyPrefix() + "history";
        this.layout = connector.isCluster()
                ? KeyLayout.CLUSTER
                : connector.mayBeSharded() ? KeyLayout.AUTO : KeyLayout.STANDALONE;
        KeyLayout wanted = settings.keyLayout();
        if (layout != KeyLayout.AUTO && wanted != KeyLayout.AUTO && wanted != layout) {
            throw new IllegalArgumentException(configured() + "; " + place() + " has the layout " + nameOf(layout)
                    + ". Remove key-layout: it is for a single address");
        }
    }

    /** {@code AUTO} until it is known. */
    KeyLayout layout() {
        return layout;
    }

    /** Blocks until the layout is known, or throws. */
    void decide(RedisLink link) {
        if (layout == KeyLayout.AUTO) {
            layout = find(link);
        }
    }

    private KeyLayout find(RedisLink link) {
        RedisClusterAsyncCommands<String, String> redis = link.async();
        int breaks = link.breaksCounted();
        boolean sharded = isSharded(redis);
        if (link.breaks() != breaks) { // commands may have been sent twice
            throw new RedisException("the connection broke while the layout of the keys was looked for");
        }
        KeyLayout wanted = settings.keyLayout();
        if (sharded || wanted == KeyLayout.CLUSTER) {
            if (wanted == KeyLayout.STANDALONE) {
                throw conflict("keeps keys with different hash tags on different shards", "Remove key-layout");
            }
            claim(redis, sharded);
            return KeyLayout.CLUSTER;
        }
        if (!isClaimed(redis)) {
            return KeyLayout.STANDALONE;
        }
        if (wanted == KeyLayout.STANDALONE) {
            throw conflict("has locks in the layout cluster (the key " + claim + " is a sorted set)", REMEDY);
        }
        return KeyLayout.CLUSTER;
    }

    /** Direct commands set locks, and a release frees them if its script reaches them all. */
    private boolean isSharded(RedisClusterAsyncCommands<String, String> redis) {
        String prefix = settings.keyPrefix() + "start-check:" + UUID.randomUUID() + ":{";
        JointRelease ofAllTags = new JointRelease(redis, i -> prefix + i * i + '}'); // at most 8 % of all slots apart
        JointRelease ofOneTag = new JointRelease(redis, i -> prefix + "permits}:p" + i);
        boolean sharded = !ofAllTags.reachesAll();
        if (!ofOneTag.reachesAll()) {
            throw new RedisUnavailableException(
                    place() + " keeps keys with the same hash tag on different servers",
                    "Let the proxy hash only the part of a key in braces (Envoy: enable_hashtagging), or keep locks"
                            + " on a server of their own");
        }
        return sharded;
    }

    private boolean isClaimed(RedisClusterAsyncCommands<String, String> redis) {
        return answer(redis.zcard(claim)
                        .exceptionallyCompose(failure -> isOfAnotherType(failure)
                                ? CompletableFuture.completedFuture(0L)
                                : CompletableFuture.failedFuture(failure)))
                > 0;
    }

    private void claim(RedisClusterAsyncCommands<String, String> redis, boolean sharded) {
        try {
            answer(sharded ? reclaim(redis) : add(redis));
        } catch (CompletionException e) {
            throw isOfAnotherType(e)
                    ? conflict("has locks in the layout standalone (the key " + claim + " is a string)", REMEDY)
                    : e;
        }
    }

    /** Called at regular intervals. Returns at once. */
    void keep(@Nullable RedisLink link) {
        if (link != null && layout == KeyLayout.CLUSTER && connector.mayBeSharded()) {
            CompletionStage<Long> unused = reclaim(link.async());
        }
    }

    /** Also if another client has written a history since the data were lost. */
    private CompletionStage<Long> reclaim(RedisClusterAsyncCommands<String, String> redis) {
        return add(redis)
                .exceptionallyCompose(failure -> isOfAnotherType(failure)
                        ? redis.del(claim).thenCompose(deleted -> add(redis))
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<Long> add(RedisClusterAsyncCommands<String, String> redis) {
        return redis.zadd(claim, 0, nameOf(KeyLayout.CLUSTER));
    }

    private static boolean isOfAnotherType(Throwable failure) {
        return ExceptionCauses.rootOf(failure) instanceof RedisCommandExecutionException refusal
                && ServerError.of(refusal).code().equals("WRONGTYPE");
    }

    private RedisUnavailableException conflict(String found, String remedy) {
        return new RedisUnavailableException(configured() + ", but " + place() + ' ' + found, remedy);
    }

    private String place() {
        return "Redis at " + connector.target().name();
    }

    private String configured() {
        return "distributed-lock.redis.key-layout is " + nameOf(settings.keyLayout());
    }

    private static String nameOf(KeyLayout layout) {
        return layout.name().toLowerCase(Locale.ROOT);
    }

    private static <T> T answer(CompletionStage<T> asked) {
        return BlockingWait.awaitUninterruptibly(asked.toCompletableFuture());
    }

    /**
     * The commands alone come first: an error inside a script names no command before Redis 8. A deletion at the end
     * shows which locks the release did not reach.
     */
    private final class JointRelease {

        private final List<CompletionStage<?>> before = new ArrayList<>();
        private final CompletionStage<List<Object>> release;
        private final List<CompletionStage<Long>> deletions;

        JointRelease(RedisClusterAsyncCommands<String, String> redis, IntFunction<String> name) {
            List<String> locks =
                    IntStream.range(0, CallQueue.MOST).mapToObj(name).toList();
            SetArgs limit = SetArgs.Builder.px(settings.commandTimeout().multipliedBy(2)); // the release is given up
            before.add(redis.mget(locks.get(0)));
            before.add(redis.exists(locks.get(0)));
            locks.forEach(lock -> before.add(redis.set(lock, TOKEN, limit)));
            this.release = redis.eval(
                    LockScript.RELEASE.text(),
                    ScriptOutputType.MULTI,
                    Stream.concat(locks.stream(), locks.stream().map(lock -> lock + ":waiters"))
                            .toArray(String[]::new),
                    locks.stream().flatMap(lock -> Stream.of(TOKEN, "")).toArray(String[]::new));
            this.deletions = locks.stream()
                    .map(lock -> (CompletionStage<Long>) redis.del(lock))
                    .toList();
        }

        boolean reachesAll() {
            deletions.forEach(each -> answer(each.handle((done, failure) -> done))); // last: nothing is left behind
            before.forEach(LayoutDecision::answer);
            List<Long> left = deletions.stream().map(LayoutDecision::answer).toList();
            try {
                List<Object> statuses = answer(release);
                for (int i = 0; i < statuses.size(); i++) {
                    if (!statuses.get(i).equals(ReleaseScript.DONE) && left.get(i) != NOT_REACHED) {
                        throw new RedisUnavailableException(
                                place() + " lost keys while they were looked at",
                                "Try again; set maxmemory-policy noeviction");
                    }
                }
                return !left.contains(NOT_REACHED);
            } catch (CompletionException e) {
                if (ExceptionCauses.rootOf(e) instanceof RedisCommandExecutionException refusal
                        && ServerError.of(refusal).isOfSlots()) {
                    return false;
                }
                throw e;
            }
        }
    }
}
