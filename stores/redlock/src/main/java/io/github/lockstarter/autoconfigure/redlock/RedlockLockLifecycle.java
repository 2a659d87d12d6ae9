package io.github.lockstarter.autoconfigure.redlock;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.StoreLifecycle;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects and checks the servers concurrently. Startup fails without a quorum; each lock operation retries servers
 * that did not answer.
 */
final class RedlockLockLifecycle extends StoreLifecycle {

    private static final Logger log = LoggerFactory.getLogger(RedlockLockLifecycle.class);

    private static final String FIRST_KEY = "lock-starter:start";
    private static final Duration FIRST_LEASE = Duration.ofSeconds(1);

    private final List<RedisLockBackend> nodes;
    private final LockBackend quorum;

    RedlockLockLifecycle(List<RedisLockBackend> nodes, LockBackend quorum) {
        this.nodes = nodes;
        this.quorum = quorum;
    }

    @Override
    protected void onStart() {
        List<RedisUnavailableException> failures = startAll();
        checkQuorum(failures);
        checkDistinct();
        failures.forEach(failure -> log.warn(
                "{}. {}. The other servers of the quorum continue without its vote; each lock operation tries to"
                        + " connect again",
                failure.getMessage(),
                failure.remedy()));
        warnOfNumber();
        nodes.forEach(node -> node.warnings().forEach(log::warn));
        recordServers();
    }

    private List<RedisUnavailableException> startAll() {
        ExecutorService threads = LockThreads.pool("lock-redlock-start", nodes.size(), Duration.ofSeconds(1));
        List<CompletableFuture<Optional<RedisUnavailableException>>> starts = nodes.stream()
                .map(node -> CompletableFuture.supplyAsync(() -> start(node), threads))
                .toList();
        try {
            BlockingWait.awaitUninterruptibly(CompletableFuture.allOf(starts.toArray(CompletableFuture<?>[]::new)));
            return starts.stream()
                    .flatMap(failure -> failure.getNow(Optional.empty()).stream())
                    .toList();
        } finally {
            threads.shutdown();
        }
    }

    private static Optional<RedisUnavailableException> start(RedisLockBackend node) {
        try {
            node.start();
            return Optional.empty();
        } catch (RedisUnavailableException e) {
            return Optional.of(e);
        } catch (SeveralMastersException e) { // an invalid configuration, even of a minority
            throw new LockStartException(String.valueOf(e.getMessage()), e.remedy(), e);
        }
    }

    private void checkQuorum(List<RedisUnavailableException> failures) {
        int needed = nodes.size() / 2 + 1;
        int up = nodes.size() - failures.size();
        if (up < needed) {
            LockStartException noQuorum = new LockStartException(
                    "Only " + up + " of the " + nodes.size()
                            + " servers of distributed-lock.redlock.nodes can keep locks, and " + needed
                            + " are needed; "
                            + joined(failures, "; ", failure -> String.valueOf(failure.getMessage())),
                    joined(failures, ". ", RedisUnavailableException::remedy) + ". Startup succeeds as soon as "
                            + needed + " servers can keep locks");
            failures.forEach(noQuorum::addSuppressed);
            throw noQuorum;
        }
    }

    private static String joined(
            List<RedisUnavailableException> failures,
            String separator,
            Function<RedisUnavailableException, String> text) {
        return failures.stream().map(text).distinct().collect(Collectors.joining(separator));
    }

    /** A server with two names would have two votes. */
    private void checkDistinct() {
        Map<String, RedisLockBackend> byHistory = new HashMap<>();
        for (RedisLockBackend node : nodes) {
            String history = node.historyName().orElse("");
            RedisLockBackend other = history.isEmpty() ? null : byHistory.put(history, node);
            if (other != null) {
                throw new LockStartException(
                        other + " and " + node
                                + " of distributed-lock.redlock.nodes are one server: both report the same"
                                + " replication history",
                        "Name each server once, and no server that replicates another one");
            }
        }
    }

    private void warnOfNumber() {
        if (nodes.size() % 2 == 0) {
            log.warn(
                    "distributed-lock.redlock.nodes has {} servers, which survive as many failures as {} would. Add"
                            + " one, or remove one",
                    nodes.size(),
                    nodes.size() - 1);
        }
    }

    /**
     * Acquires and releases a lock in the background, so this instance records each server's history and clock now, and
     * the grace period of unused servers begins now instead of with the application's first lock.
     */
    private void recordServers() {
        LockToken token = new LockToken(UUID.randomUUID().toString().replace("-", ""), 1);
        quorum.attemptAcquire(new AcquireCommand(FIRST_KEY, token, FIRST_LEASE, 0, 1, Optional.empty()))
                .thenCompose(any -> quorum.releaseToken(new ReleaseCommand(FIRST_KEY, token, 0)));
    }

    @Override
    protected void onStop() {
        nodes.forEach(RedisLockBackend::stop);
    }
}
