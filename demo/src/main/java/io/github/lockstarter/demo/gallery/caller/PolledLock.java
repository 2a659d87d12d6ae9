package io.github.lockstarter.demo.gallery.caller;

import io.github.lockstarter.demo.gallery.lock.BrokenLock;
import io.github.lockstarter.demo.gallery.lock.FixedValueLock;
import io.github.lockstarter.demo.gallery.lock.GetDelLock;
import io.github.lockstarter.demo.gallery.lock.PublishedRedlock;
import io.github.lockstarter.demo.gallery.lock.SetnxExpireLock;
import io.github.lockstarter.demo.gallery.lock.SetnxLock;
import io.github.lockstarter.demo.gallery.lock.TokenLock;
import io.github.lockstarter.demo.process.Sleep;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock as articles print it, tried again and again. */
final class PolledLock implements CallerLock {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Function<Duration, BrokenLock> kind;
    private final Connections connections;
    private @Nullable BrokenLock lock;
    private String key = "";

    private PolledLock(Function<Duration, BrokenLock> kind, Connections connections) {
        this.kind = kind;
        this.connections = connections;
    }

    static PolledLock of(CallerSetting setting, CommandBreakpoint breakpoints) {
        Connections connections = new Connections();
        List<RedisCommands<String, String>> servers = setting.lockPorts().stream()
                .map(connections::to)
                .flatMap(Optional::stream)
                .toList();
        int majority = setting.lockPorts().size() / 2 + 1;
        Runnable inAcquire = () -> breakpoints.reach(CommandBreakpoint.ACQUIRE);
        Runnable inRelease = () -> breakpoints.reach(CommandBreakpoint.RELEASE);
        Function<Duration, BrokenLock> kind =
                switch (setting.lock()) {
                    case SETNX -> lease -> new SetnxLock(servers.get(0));
                    case SETNX_EXPIRE -> lease -> new SetnxExpireLock(servers.get(0), lease, inAcquire);
                    case FIXED_VALUE -> lease -> new FixedValueLock(servers.get(0), lease, inRelease);
                    case GET_DEL -> lease -> new GetDelLock(servers.get(0), lease, token(), inRelease);
                    case TOKEN -> lease -> new TokenLock(servers.get(0), lease, token());
                    case REDLOCK -> lease -> new PublishedRedlock(servers, majority, lease, token());
                    case NONE, STARTER -> throw new IllegalArgumentException(setting.lock() + " is not polled");
                };
        return new PolledLock(kind, connections);
    }

    private static String token() {
        return UUID.randomUUID().toString();
    }

    @Override
    public boolean acquire(String wanted, Duration wait, Duration lease) {
        BrokenLock attempted = kind.apply(lease);
        lock = attempted;
        key = wanted;
        long deadline = System.nanoTime() + wait.toNanos();
        while (!attempted.tryAcquire(wanted)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            Sleep.lasting(PAUSE);
        }
        return true;
    }

    @Override
    public OptionalLong fencingToken() {
        return OptionalLong.empty();
    }

    /** Nothing tells the holder of a broken lock. */
    @Override
    public OptionalLong lostAt() {
        return OptionalLong.empty();
    }

    @Override
    public boolean release() {
        try {
            Objects.requireNonNull(lock, "nothing was acquired").release(key);
            return true;
        } catch (RedisException serverIsGone) {
            return false;
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
