package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover.State;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.github.lockstarter.transaction.testing.ReactiveDatabase;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Redis hangs during the work of a reactive transaction, so another instance may take the lock over. */
@Timeout(300)
class ReactiveTransactionIT {

    private static final String PAID = "paid";

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final ApplicationContextRunner application =
            RedisApplication.on(REDIS.server()).withUserConfiguration(Transactions.class);

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {

        @Bean
        static ReactiveDatabase database() {
            return new ReactiveDatabase();
        }

        @Bean
        static Ledger ledger() {
            return new Ledger();
        }

        @Bean
        static Payments payments(ReactiveDatabase database, ReactiveLockOperations locks, Ledger ledger) {
            return new Payments(database, locks, ledger);
        }
    }

    static class Ledger {

        @Transactional(noRollbackFor = RuntimeException.class)
        public Mono<String> save(Callable<String> work) {
            return Mono.fromCallable(work).subscribeOn(Schedulers.boundedElastic());
        }
    }

    static class Payments {

        private final TransactionalOperator transactions;
        private final ReactiveLockOperations locks;
        private final Ledger ledger;

        Payments(ReactiveDatabase database, ReactiveLockOperations locks, Ledger ledger) {
            this.transactions = TransactionalOperator.create(database);
            this.locks = locks;
            this.ledger = ledger;
        }

        @DistributedLock(name = "payment", key = "#id")
        @Transactional
        public Mono<String> pay(String id, Callable<String> work) {
            return Mono.fromCallable(work).subscribeOn(Schedulers.boundedElastic());
        }

        @DistributedLock(name = "payment", key = "#id")
        @Transactional
        public Flux<String> payAll(String id, Callable<String> work) {
            return Flux.from(pay(id, work));
        }

        @DistributedLock(name = "payment", key = "#id")
        public Mono<String> payThroughLedger(String id, Callable<String> work) {
            return ledger.save(work);
        }

        Mono<String> payInCode(String id, Callable<String> work) {
            Mono<String> checked = Mono.fromCallable(work)
                    .subscribeOn(Schedulers.boundedElastic())
                    .delayUntil(paid -> ReactiveLockOperations.ensureAllHeld());
            return locks.execute("payment:" + id, transactions.transactional(checked));
        }
    }

    private enum Form {
        MONO {
            @Override
            Mono<String> pay(Payments payments, Callable<String> work) {
                return payments.pay("1", work);
            }
        },
        FLUX {
            @Override
            Mono<String> pay(Payments payments, Callable<String> work) {
                return payments.payAll("1", work).last();
            }
        },
        OTHER_BEAN {
            @Override
            Mono<String> pay(Payments payments, Callable<String> work) {
                return payments.payThroughLedger("1", work);
            }
        },
        CODE {
            @Override
            Mono<String> pay(Payments payments, Callable<String> work) {
                return payments.payInCode("1", work);
            }
        };

        abstract Mono<String> pay(Payments payments, Callable<String> work);
    }

    @ParameterizedTest
    @EnumSource
    void commitsUnderItsLock(Form form) {
        application.run(context -> {
            Mono<String> payment = form.pay(context.getBean(Payments.class), () -> PAID);
            assertThat(payment.block(Patience.TIME)).isEqualTo(PAID);
            assertThat(context.getBean(ReactiveDatabase.class).ends())
                    .singleElement()
                    .asString()
                    .startsWith("commit");
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLUX")
    void isRolledBackIfItsLockStaysInDoubt(Form form) {
        application
                .withPropertyValues("distributed-lock.redis.command-timeout=1s")
                .run(context -> {
                    HeldLocks held = context.getBean(LockOperations.class).heldLocks();
                    CrashTakeoverApplicationIT.awaitTakeover(context.getBean(LockAdmin.class), State.ON);
                    Mono<String> payment = form.pay(context.getBean(Payments.class), () -> {
                        REDIS.server().pause();
                        await().until(() ->
                                held.find("payment:1").map(HeldLock::state).equals(Optional.of(HoldState.IN_DOUBT)));
                        return PAID;
                    });
                    try {
                        assertThatThrownBy(() -> payment.block(Patience.TIME)).isInstanceOf(LockBackendException.class);
                    } finally {
                        REDIS.server().resume();
                    }
                    assertThat(context.getBean(ReactiveDatabase.class).ends()).containsExactly("rollback");
                });
    }
}
