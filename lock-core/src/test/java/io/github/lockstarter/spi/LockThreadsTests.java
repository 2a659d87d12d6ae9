package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LockThreadsTests {

    private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

    @Test
    void aThreadInheritsNothingFromTheThreadThatCreatesIt() throws Exception {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (URLClassLoader foreign = new URLClassLoader(new URL[0], before)) {
            current.setContextClassLoader(foreign);
            TENANT.set("shop");
            CompletableFuture<String> inherited = new CompletableFuture<>();

            Thread thread = LockThreads.thread("lock-test", () -> inherited.complete(String.valueOf(TENANT.get())));
            thread.start();

            assertThat(inherited.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("null");
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getName()).matches("lock-test-[0-9]+");
            assertThat(thread.getContextClassLoader()).isSameAs(LockThreads.class.getClassLoader());
        } finally {
            TENANT.remove();
            current.setContextClassLoader(before);
        }
    }

    @Test
    void idleThreadsOfAPoolEnd() {
        ThreadPoolExecutor pool = LockThreads.pool("lock-test", 1, Duration.ofMillis(10));

        CompletableFuture.runAsync(() -> {}, pool).join();

        await().untilAsserted(() -> assertThat(pool.getPoolSize()).isZero());
        pool.shutdown();
        LockThreads.join(pool);
        assertThat(pool.isTerminated()).isTrue();
    }
}
