package io.github.lockstarter.redis.scenario;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.contract.QuorumStore;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A lock on just a quorum, one of whose servers then loses it. Instance A reaches three of the five servers and holds
 * the lock there; instance B reaches all of them. The server that loses the lock is the only common one of both
 * majorities.
 */
final class RedlockMemory implements AutoCloseable {

    static final String KEY = "scenario:redlock";

    private final LockRequest request;
    private final List<RedisServer> servers;
    private final List<TcpProxy> proxies = new ArrayList<>();
    private final QuorumStore a;
    private final QuorumStore b;
    private final Application first;
    private final Application second;
    private final List<Integer> order = new ArrayList<>(List.of(0, 1, 2, 3, 4));

    RedlockMemory(List<RedisServer> servers, Duration lease, UnaryOperator<QuorumStore> settings) {
        this.servers = servers;
        this.request = LockRequest.of(KEY).leasedFor(lease).waitingUpTo(Patience.TIME);
        servers.forEach(server -> proxies.add(TcpProxy.before(server)));
        List<RedisURI> behind = proxies.stream()
                .map(proxy -> RedisURI.create(proxy.host(), proxy.port()))
                .toList();
        this.a = settings.apply(QuorumStore.of(behind, lease));
        this.b = settings.apply(
                QuorumStore.of(servers.stream().map(RedisServer::uri).toList(), lease));
        this.first = Application.over(a.connect());
        this.second = Application.over(b.connect());
    }

    /** Rest of A's lease when B gets the lock; negative if it was over. The roles of the servers are random. */
    Duration leaseLeftWhenTheNextOneIsIn(Random random, Consumer<RedisServer> forgetting) {
        Collections.shuffle(order, random);
        acquireOnceAllVote();
        order.subList(3, 5).forEach(node -> separate(proxies.get(node)));
        LockHandle held = acquire(first);
        long endsAt = System.nanoTime() + held.remainingLease().toNanos();

        forgetting.accept(servers.get(order.get(random.nextInt(3))));
        LockHandle next = acquire(second);
        Duration left = Duration.ofNanos(endsAt - System.nanoTime());

        next.release();
        held.release();
        order.subList(3, 5).forEach(node -> proxies.get(node).accept());
        return left;
    }

    private static void separate(TcpProxy proxy) {
        proxy.refuse();
        proxy.cut();
    }

    /** Each instance has had an answer of every server, and each server has a history that is old enough. */
    private void acquireOnceAllVote() {
        for (Application application : List.of(first, second)) {
            acquire(application).release();
        }
        String lockKey = "lock:{" + KEY + "}";
        await().atMost(Patience.TIME).until(() -> {
            LockHandle held = acquire(first);
            boolean everywhere =
                    servers.stream().allMatch(server -> server.commands().exists(lockKey) == 1);
            held.release();
            return everywhere;
        });
        acquire(second).release();
    }

    private LockHandle acquire(Application application) {
        LockHandle[] held = new LockHandle[1];
        await().atMost(Patience.TIME)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptionsInstanceOf(LockException.class)
                .until(() -> {
                    held[0] = application.locks().acquire(request.withoutRenewal());
                    return true;
                });
        return held[0];
    }

    @Override
    public void close() {
        first.close();
        second.close();
        a.close();
        b.close();
        proxies.forEach(TcpProxy::close);
    }
}
