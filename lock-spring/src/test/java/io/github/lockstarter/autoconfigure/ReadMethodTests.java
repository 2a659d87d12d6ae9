package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.kit.Patience;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Methods that read: by the annotation of their class, or by their own. */
@SuppressWarnings("unused")
class ReadMethodTests {

    private static final int READERS = 3;

    private final ApplicationContextRunner application =
            LockRunner.application().withBean(Catalog.class).withBean(Prices.class);

    @DistributedLock(name = "catalog", mode = LockMode.READ)
    static class Catalog {

        public long browse(CyclicBarrier together) throws Exception {
            together.await(Patience.SECONDS, TimeUnit.SECONDS);
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ, maxWaitMs = 0, ifContended = IfContended.SKIP)
        public Optional<String> glance() {
            return Optional.of("seen");
        }

        @DistributedLock(name = "catalog", maxWaitMs = 0)
        public void change(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public Mono<String> watch(Mono<String> work) {
            return work;
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public void read(Runnable body) {
            body.run();
        }
    }

    static class Prices {

        @DistributedLock(name = "catalog", key = "#shop", mode = LockMode.READ, maxWaitMs = 0)
        public LockMode mode(String shop, LockOperations locks) {
            return locks.heldLocks().find("catalog:" + shop).map(HeldLock::mode).orElseThrow();
        }
    }

    private static <T> CompletableFuture<T> elsewhere(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        result.complete(call.call());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        return result;
    }

    @Test
    void runAtTheSameTime() {
        application.run(context -> {
            Catalog catalog = context.getBean(Catalog.class);
            CyclicBarrier together = new CyclicBarrier(READERS);
            List<CompletableFuture<Long>> readers = IntStream.range(0, READERS)
                    .mapToObj(reader -> elsewhere(() -> catalog.browse(together)))
                    .toList();

            assertThat(readers).map(Patience::answer).allMatch(token -> token > 0);
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    @Test
    void excludeAMethodThatWritesAndViceVersa() {
        application.run(context -> {
            Catalog catalog = context.getBean(Catalog.class);
            catalog.read(() -> {
                assertThatThrownBy(elsewhere(() -> {
                            catalog.change(() -> {});
                            return null;
                        })::join)
                        .hasCauseInstanceOf(LockNotAcquiredException.class);
                assertThat(Patience.answer(elsewhere(catalog::glance))).hasValue("seen");
            });
            catalog.change(() -> {
                assertThat(Patience.answer(elsewhere(catalog::glance))).isEmpty();
                assertThat(catalog.glance()).hasValue("seen"); // the thread that writes may read
            });
            assertThat(Patience.answer(elsewhere(catalog::glance))).hasValue("seen");
        });
    }

    /** It would wait for itself. */
    @Test
    void cannotBeginToWrite() {
        application.run(context -> {
            Catalog catalog = context.getBean(Catalog.class);
            catalog.read(() -> assertThatThrownBy(() -> catalog.change(() -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "Cannot write under lock 'catalog'", "Release the lock that is read first"));
            catalog.change(() -> {});
        });
    }

    @Test
    void keepTheLockUntilTheirPublisherEnds() {
        application.run(context -> {
            Catalog catalog = context.getBean(Catalog.class);
            Sinks.One<String> work = Sinks.one();
            CompletableFuture<String> watched = catalog.watch(work.asMono()).toFuture();
            CompletableFuture<String> other = catalog.watch(Mono.just("other")).toFuture();

            assertThat(Patience.answer(other)).isEqualTo("other");
            assertThatThrownBy(() -> catalog.change(() -> {})).isInstanceOf(LockNotAcquiredException.class);
            work.tryEmitValue("done").orThrow();
            assertThat(Patience.answer(watched)).isEqualTo("done");
            catalog.change(() -> {});
        });
    }

    @Test
    void shareTheKeyWithCodeAndTheLockOfTheJdk() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Prices prices = context.getBean(Prices.class);
            LockHandle reader = locks.acquire(
                    LockRequest.of("catalog:7").mode(LockMode.READ).ownedByHandle());
            assertThat(prices.mode("7", locks)).isEqualTo(LockMode.READ);
            assertThat(Patience.answer(elsewhere(
                            () -> locks.asReadWriteLock("catalog:7").writeLock().tryLock())))
                    .isFalse();
            reader.close();
            LockHandle writer = locks.acquire(LockRequest.of("catalog:7").ownedByHandle());
            assertThatThrownBy(() -> prices.mode("7", locks)).isInstanceOf(LockNotAcquiredException.class);
            writer.downgrade();
            assertThat(prices.mode("7", locks)).isEqualTo(LockMode.READ);
            writer.close();
        });
    }

    static class WithPermits {
        @DistributedLock(name = "stock", mode = LockMode.READ, permits = 3)
        public void read() {}
    }

    static class WithMinimumHold {
        @DistributedLock(name = "stock", mode = LockMode.READ, minHold = "1s")
        public void read() {}
    }

    static class Stock {
        @DistributedLock(name = "stock", mode = LockMode.READ)
        public void read() {}
    }

    static class StockWithPermits {
        @DistributedLock(name = "stock", permits = 3)
        public void write() {}
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            WithPermits     | lease=30s              | 3 permits       | them
            WithMinimumHold | lease=30s              | a minimum hold  | it
            Stock           | locks.stock.permits=3  | 3 permits       | them
            Stock           | locks.stock.min-hold=1s | a minimum hold | it
            """)
    void startFailsWithPermitsOrAMinimumHold(String bean, String setting, String term, String pronoun)
            throws ClassNotFoundException {
        Class<?> type = Class.forName(getClass().getName() + '$' + bean);
        FailureReport.assertThat(LockRunner.application()
                        .withBean("subject", type)
                        .withPropertyValues("distributed-lock." + setting))
                .isEqualTo("Bean 'subject': @DistributedLock on ReadMethodTests." + bean + ".read() cannot take effect:"
                        + " Lock 'stock' is read (mode READ) and has " + term
                        + ", which a lock with readers cannot have.\n\nLeave " + pronoun
                        + " out, or give the lock another name.");
    }

    /** Of the slots of a lock with permits, readers exclude only the first. */
    @Test
    void startFailsIfAnotherMethodOfTheNameHasPermits() {
        FailureReport.assertThat(LockRunner.application().withBean(Stock.class).withBean(StockWithPermits.class))
                .contains("Lock 'stock' has 3 permits at", "and 1 at another method");
    }

    @Test
    void startFailsIfTheStoreHasNoReaders() {
        FailureReport.assertThat(LockRunner.application(AcmeLockAutoConfiguration.class)
                        .withBean("subject", Stock.class)
                        .withPropertyValues("distributed-lock.backend=acme"))
                .isEqualTo("Bean 'subject': @DistributedLock on ReadMethodTests.Stock.read() cannot take effect: Lock"
                        + " 'stock' is read (mode READ), and the store 'acme' has no locks for readers.\n\nLeave the"
                        + " mode out, or keep the lock in another store: distributed-lock.further-backends.");
    }

    /** All callers of a lock agree on what it is for by their code. */
    @Test
    void noPropertyHasTheMode() {
        FailureReport.assertThat(
                        LockRunner.application().withPropertyValues("distributed-lock.locks.catalog.mode=read"))
                .contains("distributed-lock.locks.catalog.mode does not exist");
    }
}
