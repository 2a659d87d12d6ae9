package io.github.lockstarter.demo.gallery.caller;

import io.github.lockstarter.demo.gallery.lock.BrokenLock;
import io.github.lockstarter.demo.gallery.lock.FixedValueLock;
import io.github.lockstarter.demo.gallery.lock.GetDelLock;
import io.github.lockstarter.demo.gallery.lock.PublishedRedlock;
import io.github.lockstarter.demo.gallery.lock.SetnxExpireLock;
import io.github.lockstarter.demo.gallery.lock.SetnxLock;
import io.github.lockstarter.demo.gallery.lock.TokenLock;
import io.github.lockstarter.kit.process.Polling;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Retries one of the {@link BrokenLock}s. */
final class PolledLock implements CallerLock {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final CallerSetting setting;
    private final CommandBreakpoint breakpoints;
    private final RedisClient client = RedisClient.create();
    private final List<RedisCommands<String, String>> servers;
    private @Nullable BrokenLock lock;
    private String key = "";

    /** Connects to all reachable servers. */
    PolledLock(CallerSetting setting, CommandBreakpoint breakpoints) {
        this.setting = setting;
        this.breakpoints = breakpoints;
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        this.servers = setting.lockPorts().stream().flatMap(this::connect).toList();
    }

    private Stream<RedisCommands<String, String>> connect(int port) {
        RedisURI uri = RedisURI.create("127.0.0.1", port);
        uri.setTimeout(TIMEOUT);
        try {
            return Stream.of(client.connect(uri).sync());
        } catch (RedisException unreachable) {
            return Stream.empty();
        }
    }

    @Override
    public boolean acquire(String wanted, Duration wait, Duration lease) {
        BrokenLock attempted = lock(lease);
        lock = attempted;
        key = wanted;
        return Polling.until(() -> attempted.tryAcquire(wanted), wait);
    }

    private BrokenLock lock(Duration lease) {
        int majority = setting.lockPorts().size() / 2 + 1;
        String token = UUID.randomUUID().toString();
        Runnable inAcquire = () -> breakpoints.reach(CommandBreakpoint.ACQUIRE);
        Runnable inRelease = () -> breakpoints.reach(CommandBreakpoint.RELEASE);
        return switch (setting.lock()) {
            case SETNX -> new SetnxLock(servers.get(0));
            case SETNX_EXPIRE -> new SetnxExpireLock(servers.get(0), lease, inAcquire);
            case FIXED_VALUE -> new FixedValueLock(servers.get(0), lease, inRelease);
            case GET_DEL -> new GetDelLock(servers.get(0), lease, token, inRelease);
            case TOKEN -> new TokenLock(servers.get(0), lease, token);
            case REDLOCK -> new PublishedRedlock(servers, majority, lease, token);
            case NONE, STARTER -> throw new IllegalArgumentException(setting.lock() + " is not polled");
        };
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
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
