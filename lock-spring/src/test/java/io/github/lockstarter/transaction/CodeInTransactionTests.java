package io.github.lockstarter.transaction;

import static io.github.lockstarter.transaction.testing.Bank.inTransaction;
import static io.github.lockstarter.transaction.testing.Bank.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Execution;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.autoconfigure.testing.RevokingOperator;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Locks that code acquires inside a transaction of its caller, on a real database. */
@ExtendWith(OutputCaptureExtension.class)
class CodeInTransactionTests {

    private static final String WARNING = "LockOperations is called inside a transaction of its caller";
    private static final String KEY = "address:1";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(H2Bank.class)
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.max-wait=60s");

    private final ApplicationContextRunner refusing =
            application.withPropertyValues("distributed-lock.in-transaction=refuse");

    private final ApplicationContextRunner releasingAfter =
            application.withPropertyValues("distributed-lock.in-transaction=release-after");

    /** The ways in which code runs a body under a lock on its own thread. */
    private enum Form {
        EXECUTE,
        TRY_EXECUTE,
        ACQUIRE,
        TRY_ACQUIRE,
        AS_LOCK,
        OWNED_BY_HANDLE;

        boolean isRefusedAtOnce() {
            return this != ACQUIRE && this != TRY_ACQUIRE && this != OWNED_BY_HANDLE;
        }

        void run(ApplicationContext context, String key, Runnable body) {
            LockOperations locks = context.getBean(LockOperations.class);
            switch (this) {
                case EXECUTE -> locks.execute(key, body::run);
                case TRY_EXECUTE ->
                    assertThat(locks.tryExecute(LockRequest.of(key).maxWait(LockRequest.MAX_DURATION), body::run))
                            .isInstanceOf(Execution.Executed.class);
                case ACQUIRE -> release(locks.acquire(key), body);
                case TRY_ACQUIRE ->
                    release(
                            locks.tryAcquire(LockRequest.of(key).maxWait(LockRequest.MAX_DURATION))
                                    .orElseThrow(),
                            body);
                case AS_LOCK -> unlock(locks.asLock(key), body);
                case OWNED_BY_HANDLE ->
                    release(locks.acquire(LockRequest.of(key).ownedByHandle()), body);
                default -> throw new AssertionError(this);
            }
        }

        private static void release(LockHandle handle, Runnable body) {
            try (handle) {
                body.run();
            }
        }

        private static void unlock(Lock lock, Runnable body) {
            lock.lock();
            try {
                body.run();
            } finally {
                lock.unlock();
            }
        }
    }

    private static int held(ApplicationContext context) {
        return LockRunner.held(context).size();
    }

    private static long warnings(CapturedOutput output) {
        return output.getAll().lines().filter(line -> line.contains(WARNING)).count();
    }

    private static void addUnlessItExists(JdbcTemplate jdbc, int address) {
        Integer found = jdbc.queryForObject("select count(*) from booking where id = ?", Integer.class, address);
        if (found != null && found == 0) {
            jdbc.update("insert into booking values (?)", address);
        }
    }

    private static void addEachAddress(ApplicationContext context, Form form) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        for (int address = 0; address < 40; address++) {
            int id = address;
            inTransaction(
                    context, transaction -> form.run(context, "address:" + id, () -> addUnlessItExists(jdbc, id)));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Form.class, mode = EnumSource.Mode.EXCLUDE, names = "OWNED_BY_HANDLE")
    void insertsEachRowOnceIfTheTransactionKeepsTheLock(Form form) {
        releasingAfter.run(context -> {
            ExecutorService threads = Executors.newFixedThreadPool(8);
            List<Future<?>> writers = IntStream.range(0, 8)
                    .<Future<?>>mapToObj(writer -> threads.submit(() -> addEachAddress(context, form)))
                    .toList();
            for (Future<?> writer : writers) {
                writer.get(2 * Patience.SECONDS, TimeUnit.SECONDS);
            }
            threads.shutdown();
            Integer rows =
                    context.getBean(JdbcTemplate.class).queryForObject("select count(*) from booking", Integer.class);
            assertThat(rows).isEqualTo(40);
            assertThat(held(context)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource(value = Form.class, mode = EnumSource.Mode.EXCLUDE, names = "OWNED_BY_HANDLE")
    void keepsTheLockUntilTheTransactionEnds(Form form) {
        releasingAfter.run(context -> {
            inTransaction(context, transaction -> {
                form.run(context, KEY, () -> {});
                form.run(context, KEY, () -> {});
                assertThat(held(context)).isOne();
            });
            assertThat(held(context)).isZero();
            inTransaction(context, transaction -> {
                form.run(context, KEY, () -> {});
                transaction.setRollbackOnly();
            });
            assertThat(held(context)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void warnsOncePerLockName(Form form, CapturedOutput output) {
        application.run(context -> {
            for (int i = 0; i < 2; i++) {
                inTransaction(context, transaction -> form.run(context, KEY, () -> {}));
            }
            assertThat(warnings(output)).isOne();
            assertThat(output)
                    .contains(
                            "' is released before that transaction commits, and the next owner may not see its writes")
                    .contains("Begin the transaction inside the lock, for example with a TransactionTemplate, or set "
                            + "inTransaction to "
                            + (form == Form.OWNED_BY_HANDLE ? "" : "RELEASE_AFTER, or to ")
                            + "RELEASE if the lock protects nothing in the transaction");
        });
    }

    @Test
    void warnsOncePerNameOfATransaction(CapturedOutput output) {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            TransactionTemplate transaction = transaction(context);
            for (String name : List.of("billing", "shipping", "billing")) {
                transaction.setName(name);
                transaction.executeWithoutResult(status -> locks.execute(KEY, () -> {}));
            }
        });
        assertThat(warnings(output)).isEqualTo(2);
    }

    @Test
    void warnsOfAThousandNames(CapturedOutput output) {
        application.run(context -> inTransaction(context, transaction -> {
            for (int i = 0; i < 1_010; i++) {
                context.getBean(LockOperations.class)
                        .execute(LockRequest.of(KEY).named("lock-" + i), () -> {});
            }
        }));
        assertThat(warnings(output)).isEqualTo(1_000);
    }

    @Test
    void registersNothingWithATransactionAfterTheWarning() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            inTransaction(context, transaction -> locks.acquire(KEY).release());
            inTransaction(context, transaction -> {
                locks.acquire(KEY).release();
                assertThat(TransactionSynchronizationManager.getSynchronizations())
                        .isEmpty();
            });
        });
    }

    @Test
    void doesNotWarnOfATransactionThatWritesNothing(CapturedOutput output) {
        application.run(context -> {
            TransactionTemplate transaction = transaction(context);
            transaction.setReadOnly(true);
            transaction.executeWithoutResult(status -> Form.EXECUTE.run(context, KEY, () -> {}));
        });
        assertThat(warnings(output)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void refusesATransactionThatWouldCommitAfterTheRelease(Form form) {
        refusing.run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThatThrownBy(() -> inTransaction(
                            context, transaction -> form.run(context, KEY, () -> addUnlessItExists(jdbc, 1))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith(WARNING)
                    .hasMessageContaining("must not be released before that transaction commits")
                    .hasMessageContaining(
                            form.isRefusedAtOnce() ? "it was not acquired" : "that transaction is rolled back")
                    .hasMessageContaining("Begin the transaction inside the lock");
            assertThat(jdbc.queryForObject("select count(*) from booking", Integer.class))
                    .isZero();
            assertThat(held(context)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void acceptsATransactionThatBeginsUnderTheLock(Form form, CapturedOutput output) {
        refusing.run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            form.run(context, KEY, () -> inTransaction(context, transaction -> addUnlessItExists(jdbc, 1)));
            assertThat(jdbc.queryForObject("select count(*) from booking", Integer.class))
                    .isOne();
        });
        application.run(context -> form.run(context, KEY, () -> inTransaction(context, transaction -> {})));
        assertThat(warnings(output)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void acceptsALockThatTheThreadHoldsAroundTheTransaction(Form outer, CapturedOutput output) {
        for (ApplicationContextRunner each : List.of(refusing, application)) {
            each.run(context -> {
                outer.run(
                        context,
                        KEY,
                        () -> inTransaction(context, transaction -> {
                            for (Form inner : Form.values()) {
                                if (outer != Form.OWNED_BY_HANDLE && inner != Form.OWNED_BY_HANDLE) {
                                    inner.run(context, KEY, () -> {});
                                }
                            }
                        }));
                assertThat(held(context)).isZero();
            });
        }
        assertThat(warnings(output)).isZero();
    }

    // Handles that leave the method

    @Test
    void neitherWarnsNorRefusesIfTheTransactionReceivesTheHandle(CapturedOutput output) {
        for (ApplicationContextRunner each : List.of(application, refusing, releasingAfter)) {
            each.run(context -> {
                LockOperations locks = context.getBean(LockOperations.class);
                inTransaction(context, transaction -> {
                    TransactionLocks.releaseAfterCompletion(locks.acquire(KEY));
                    TransactionLocks.releaseAfterCompletion(
                            locks.tryAcquire("address:2").orElseThrow());
                    TransactionLocks.releaseAfterCompletion(
                            locks.acquireAsync("address:3").join());
                    TransactionLocks.releaseAfterCompletion(locks.acquire(LockRequest.ofAll(List.of("a", "b"))));
                    assertThat(held(context)).isEqualTo(5);
                });
                assertThat(held(context)).isZero();
            });
        }
        assertThat(warnings(output)).isZero();
    }

    @Test
    void neitherWarnsNorRefusesIfTheHandleIsReleasedAfterTheTransaction(CapturedOutput output) {
        for (ApplicationContextRunner each : List.of(application, refusing)) {
            each.run(context -> {
                LockOperations locks = context.getBean(LockOperations.class);
                CompletableFuture<LockHandle> later = new CompletableFuture<>();
                inTransaction(context, transaction -> later.complete(locks.acquire(KEY)));
                later.join().release();
                assertThat(held(context)).isZero();
            });
        }
        assertThat(warnings(output)).isZero();
    }

    @Test
    void refusesACommitIfOneOfSeveralKeysWasReleased() {
        refusing.run(context -> assertThatThrownBy(() -> inTransaction(context, transaction -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    LockHandle both = locks.acquire(LockRequest.ofAll(List.of("a", "b")));
                    TransactionLocks.releaseAfterCompletion(locks.acquire("a"));
                    both.release();
                }))
                .hasMessageContaining("lock 'a, b' must not be released"));
    }

    @Test
    void acceptsACommitIfAnotherReaderOfEachKeyIsKept() {
        refusing.run(context -> assertThatCode(() -> inTransaction(context, transaction -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    LockRequest both = LockRequest.ofAll(List.of("a", "b"))
                            .mode(LockMode.READ)
                            .ownedByHandle();
                    LockHandle released = locks.acquire(both);
                    TransactionLocks.releaseAfterCompletion(locks.acquire(both));
                    released.release();
                }))
                .doesNotThrowAnyException());
    }

    @Test
    void refusesACommitIfOneOfSeveralPermitsWasReleased() {
        refusing.run(context -> assertThatThrownBy(() -> inTransaction(context, transaction -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    LockRequest permit = LockRequest.of(KEY).permits(3).ownedByHandle();
                    LockHandle released = locks.acquire(permit);
                    TransactionLocks.releaseAfterCompletion(locks.acquire(permit));
                    released.release();
                }))
                .hasMessageContaining("must not be released"));
    }

    @Test
    void refusesACommitAfterTheLossOfAHandle() {
        refusing.run(context -> assertThatThrownBy(() -> loseALock(context))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining(KEY));
        for (ApplicationContextRunner each :
                List.of(application, refusing.withPropertyValues("distributed-lock.on-lost=return"))) {
            each.run(context -> assertThatCode(() -> loseALock(context)).doesNotThrowAnyException());
        }
    }

    private static void loseALock(ApplicationContext context) {
        inTransaction(context, transaction -> {
            context.getBean(LockOperations.class).acquire(KEY);
            RevokingOperator.revoke(context, KEY);
        });
    }

    // Locks that no thread owns

    @ParameterizedTest
    @EnumSource(value = Form.class, mode = EnumSource.Mode.EXCLUDE, names = "OWNED_BY_HANDLE")
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void reentersALockOfAnotherOwnerThatTheTransactionKeeps(Form form, CapturedOutput output) {
        for (ApplicationContextRunner each : List.of(application, refusing, releasingAfter)) {
            each.withPropertyValues("distributed-lock.max-wait=1s").run(context -> {
                LockOperations locks = context.getBean(LockOperations.class);
                LockRequest kept = LockRequest.of(KEY);
                CompletableFuture<Void> afterwards = new CompletableFuture<>();
                for (Supplier<LockHandle> owner : List.<Supplier<LockHandle>>of(
                        () -> locks.acquireAsync(kept).join(), () -> locks.acquire(kept.ownedByHandle()))) {
                    inTransaction(context, transaction -> {
                        TransactionLocks.releaseAfterCompletion(owner.get());
                        form.run(context, KEY, () -> {});
                        assertThat(held(context)).isOne();
                        afterCompletion(() -> {
                            form.run(context, KEY, () -> {});
                            afterwards.complete(null);
                        });
                    });
                    assertThat(afterwards).isCompleted();
                    assertThat(held(context)).isZero();
                }
            });
        }
        assertThat(warnings(output)).isZero();
    }

    private static void afterCompletion(Runnable task) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                task.run();
            }
        });
    }

    @Test
    void runsAsynchronousWorkOfATransactionOneAfterAnother() {
        releasingAfter.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            CompletableFuture<Void> work = new CompletableFuture<>();
            AtomicBoolean isStarted = new AtomicBoolean();
            inTransaction(context, transaction -> {
                CompletableFuture<Void> first = locks.executeAsync(KEY, () -> work);
                CompletableFuture<Void> second = locks.executeAsync(KEY, () -> {
                    isStarted.set(true);
                    return CompletableFuture.completedFuture(null);
                });
                assertThat(isStarted).isFalse();
                work.complete(null);
                CompletableFuture.allOf(first, second).join();
                assertThat(held(context)).isZero();
            });
        });
    }

    @Test
    void grantsEachHandleOfATransactionItsOwnPermit() {
        releasingAfter.run(context -> inTransaction(context, transaction -> {
            LockOperations locks = context.getBean(LockOperations.class);
            LockRequest permit = LockRequest.of(KEY).permits(3).ownedByHandle();
            try (LockHandle one = locks.acquire(permit);
                    LockHandle other = locks.acquire(permit);
                    LockHandle third = locks.acquireAsync(permit).join()) {
                assertThat(List.of(one.slot(), other.slot(), third.slot())).doesNotHaveDuplicates();
            }
        }));
    }

    @Test
    void warnsThatTheTransactionKeepsNoLockOfAsynchronousWork(CapturedOutput output) {
        releasingAfter.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            for (int i = 0; i < 2; i++) {
                inTransaction(
                        context, transaction -> locks.executeAsync(KEY, () -> CompletableFuture.completedFuture(1))
                                .join());
            }
            assertThat(warnings(output)).isOne();
            inTransaction(context, transaction -> {
                context.getBean(ReactiveLockOperations.class)
                        .execute(LockRequest.of(KEY).named("reactive"), Mono.just(1))
                        .block();
                assertThat(held(context)).isZero();
            });
            assertThat(warnings(output)).isEqualTo(2);
        });
        assertThat(output)
                .contains("RELEASE_AFTER does not apply to asynchronous work and to requests with ownedByHandle(). "
                        + "Begin the transaction inside the lock")
                .doesNotContain("set inTransaction to RELEASE_AFTER");
    }

    @Test
    void refusesAsynchronousWorkInATransaction(CapturedOutput output) {
        refusing.run(context -> inTransaction(context, transaction -> {
            LockOperations locks = context.getBean(LockOperations.class);
            assertThatThrownBy(() -> locks.executeAsync(KEY, () -> CompletableFuture.completedFuture(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it was not acquired");
        }));
        refusing.run(context -> assertThatThrownBy(
                        () -> inTransaction(context, transaction -> context.getBean(ReactiveLockOperations.class)
                                .execute(KEY, Mono.just(1))
                                .block()))
                .hasMessageContaining("that transaction is rolled back"));
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            inTransaction(context, transaction -> locks.executeAsync(KEY, () -> CompletableFuture.completedFuture(1))
                    .join());
        });
        assertThat(warnings(output)).isOne();
    }

    // Choices

    @Test
    void theRequestDecidesForItself(CapturedOutput output) {
        refusing.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            inTransaction(context, transaction -> {
                locks.execute(LockRequest.of(KEY).inTransaction(InTransaction.RELEASE), () -> {});
                assertThat(held(context)).isZero();
                locks.execute(LockRequest.of(KEY).inTransaction(InTransaction.RELEASE_AFTER), () -> {});
                assertThat(held(context)).isOne();
            });
        });
        assertThat(warnings(output)).isZero();
    }

    @Test
    void neitherWarnsNorRefusesBehindTheCommit(CapturedOutput output) {
        for (ApplicationContextRunner each : List.of(application, refusing, releasingAfter)) {
            each.run(context -> {
                CompletableFuture<Integer> heldAfterwards = new CompletableFuture<>();
                inTransaction(
                        context,
                        transaction -> TransactionSynchronizationManager.registerSynchronization(
                                new TransactionSynchronization() {
                                    @Override
                                    public void afterCommit() {
                                        afterCompletion(STATUS_COMMITTED);
                                    }

                                    @Override
                                    public void afterCompletion(int status) {
                                        for (Form form : Form.values()) {
                                            form.run(context, KEY, () -> {});
                                        }
                                        heldAfterwards.complete(held(context));
                                    }
                                }));
                assertThat(heldAfterwards).isCompletedWithValue(0);
            });
        }
        assertThat(warnings(output)).isZero();
    }
}
