package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Methods that read and write, in two applications. */
class ReadMethodIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @DistributedLock(name = "catalog", mode = LockMode.READ)
    static class Catalog {

        public long browse(CyclicBarrier together, CompletableFuture<Void> end) throws Exception {
            together.await(Patience.SECONDS, TimeUnit.SECONDS);
            Patience.answer(end);
            LockHandle lock = LockHandle.current().orElseThrow();
            lock.ensureHeld();
            return lock.fencingToken();
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ, maxWaitMs = 0, ifContended = IfContended.SKIP)
        public Optional<String> glance() {
            return Optional.of("seen");
        }

        @DistributedLock(name = "catalog")
        public long change() {
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLock(name = "catalog", maxWaitMs = 0)
        public long changeAtOnce() {
            return change();
        }
    }

    private static void withApplications(Callers callers) {
        application().run(one -> application().run(other -> callers.call(one, other)));
    }

    /** Without doubt, in which no reader joins. */
    private static ApplicationContextRunner application() {
        return RedisApplication.on(REDIS.server())
                .withBean(Catalog.class)
                .withPropertyValues("distributed-lock.crash-takeover=0");
    }

    private interface Callers {
        void call(ApplicationContext one, ApplicationContext other) throws Exception;
    }

    private static CompletableFuture<Long> browse(
            ApplicationContext context, CyclicBarrier together, CompletableFuture<Void> end) {
        CompletableFuture<Long> token = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        token.complete(context.getBean(Catalog.class).browse(together, end));
                    } catch (Throwable e) {
                        token.completeExceptionally(e);
                    }
                })
                .start();
        return token;
    }

    @Test
    void runTogetherWithReadersOfBothAndWithoutAWriter() {
        withApplications((one, other) -> {
            CyclicBarrier together = new CyclicBarrier(5);
            CompletableFuture<Void> end = new CompletableFuture<>();
            CompletableFuture<Long> first = browse(one, together, end);
            CompletableFuture<Long> second = browse(one, together, end);
            CompletableFuture<Long> third = browse(other, together, end);
            CompletableFuture<Long> fourth = browse(other, together, end);
            together.await(Patience.SECONDS, TimeUnit.SECONDS);

            assertThatThrownBy(() -> one.getBean(Catalog.class).changeAtOnce())
                    .isInstanceOf(LockNotAcquiredException.class);
            assertThat(other.getBean(Catalog.class).glance()).hasValue("seen");
            assertThat(one.getBean(LockOperations.class).heldLocks().find("catalog"))
                    .map(HeldLock::holdCount)
                    .hasValue(2);
            assertThat(one.getBean(LockAdmin.class).inspect("catalog").join())
                    .isInstanceOfSatisfying(StoredLock.Read.class, read -> assertThat(read.readers())
                            .hasSize(2));

            CompletableFuture<Long> writer = CompletableFuture.supplyAsync(
                    () -> other.getBean(Catalog.class).change(), task -> new Thread(task).start());
            await().untilAsserted(() ->
                    assertThat(one.getBean(Catalog.class).glance()).isEmpty()); // new readers wait behind the writer
            assertThat(writer).isNotDone();
            end.complete(null);

            assertThat(Patience.answer(first)).isEqualTo(Patience.answer(second));
            assertThat(Patience.answer(third)).isEqualTo(Patience.answer(fourth));
            assertThat(Patience.answer(writer)).isGreaterThan(Math.max(first.join(), third.join()));
            await().untilAsserted(() ->
                    assertThat(one.getBean(Catalog.class).glance()).hasValue("seen"));
        });
    }
}
