package io.github.lockstarter.benchmarks.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's {@code InterProcessMutex}, with the retry policy of its documentation. */
final class CuratorClient implements LockClient {

    private static final int RETRY_MILLIS = 1_000;
    private static final int RETRIES = 3;

    /** The default of 15 s is longer than a session may be. */
    private static final int CONNECTION_MILLIS = 5_000;

    private final CuratorFramework curator;

    /** Locks live as long as the session. */
    CuratorClient(String servers, Duration session) {
        this.curator = connect(servers, session);
    }

    static CuratorFramework connect(String servers, Duration session) {
        CuratorFramework curator = CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs((int) session.toMillis())
                .connectionTimeoutMs(CONNECTION_MILLIS)
                .retryPolicy(new ExponentialBackoffRetry(RETRY_MILLIS, RETRIES))
                .build();
        curator.start();
        return curator;
    }

    @Override
    public Hold acquire(String key, Duration wait) throws InterruptedException {
        InterProcessMutex mutex = new InterProcessMutex(curator, "/curator/" + key);
        try {
            if (!mutex.acquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("Not acquired within " + wait + ": " + key);
            }
            return () -> release(mutex);
        } catch (InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("Could not acquire " + key, e);
        }
    }

    private static void release(InterProcessMutex mutex) {
        try {
            mutex.release();
        } catch (Exception e) {
            throw new IllegalStateException("Could not release", e);
        }
    }

    @Override
    public void close() {
        curator.close();
    }
}
