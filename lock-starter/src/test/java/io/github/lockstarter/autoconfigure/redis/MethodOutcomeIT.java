package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Execution;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.kit.redis.RedisExtension;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Outcome of a call whose lock another instance has, and of a call inside a transaction, with locks in Redis. */
class MethodOutcomeIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedisLockAutoConfiguration.class))
                .withUserConfiguration(Bank.class)
                .withBean(Accounts.class)
                .withPropertyValues(
                        "spring.data.redis.host=" + REDIS.server().host(),
                        "spring.data.redis.port=" + REDIS.server().port(),
                        "distributed-lock.wait=0");
    }

    /** Both instances have the same database. */
    @Configuration
    @EnableTransactionManagement
    static class Bank {
        @Bean
        DataSource database() {
            return new DriverManagerDataSource("jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1");
        }

        @Bean
        DataSourceTransactionManager transactions(DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        JdbcTemplate jdbc(DataSource database) {
            JdbcTemplate jdbc = new JdbcTemplate(database);
            jdbc.execute("create table if not exists account (balance int)");
            return jdbc;
        }
    }

    static class Accounts {
        private final JdbcTemplate jdbc;

        Accounts(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock(name = "account", ifContended = IfContended.SKIP)
        public Optional<String> skipped(Supplier<String> body) {
            return Optional.of(body.get());
        }

        @DistributedLock(name = "account", fallbackMethod = "busy")
        public String orBusy(Supplier<String> body) {
            return body.get();
        }

        @SuppressWarnings("unused") // called by its name
        private String busy(Supplier<String> body, LockNotAcquiredException contention) {
            return "busy: " + contention.key();
        }

        @DistributedLock(name = "balance")
        @Transactional
        public void payAndReleaseAtOnce() {
            pay();
        }

        @DistributedLock(name = "balance", inTransaction = InTransaction.RELEASE_AFTER)
        @Transactional
        public void payAndReleaseAfter() {
            pay();
        }

        @DistributedLock(name = "balance")
        public int balance() {
            return read();
        }

        private void pay() {
            jdbc.update("update account set balance = ?", read() - 10);
        }

        private int read() {
            Integer balance = jdbc.queryForObject("select balance from account", Integer.class);
            return balance == null ? 0 : balance;
        }
    }

    private static void inTransaction(ApplicationContext context, Runnable calls) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> calls.run());
    }

    @Test
    void skipsOrFallsBackWhileAnotherInstanceHoldsTheLock() {
        application().run(one -> application().run(other -> {
            Accounts there = other.getBean(Accounts.class);
            String result = one.getBean(Accounts.class).orBusy(() -> {
                assertThat(there.skipped(() -> "ran")).isEmpty();
                assertThat(there.orBusy(() -> "ran")).isEqualTo("busy: account");
                assertThat(other.getBean(LockOperations.class).tryExecute("account", () -> "ran"))
                        .isEqualTo(new Execution.Skipped<>());
                return "done";
            });
            assertThat(result).isEqualTo("done");
            assertThat(there.skipped(() -> "ran")).contains("ran");
            assertThat(there.orBusy(() -> "ran")).isEqualTo("ran");
        }));
    }

    @Test
    void keepsOtherInstancesOutUntilTheCommit() {
        application().run(one -> application().run(other -> {
            JdbcTemplate jdbc = one.getBean(JdbcTemplate.class);
            jdbc.execute("insert into account values (100)");
            Accounts here = one.getBean(Accounts.class);
            Accounts there = other.getBean(Accounts.class);

            inTransaction(one, () -> {
                here.payAndReleaseAtOnce();
                assertThat(there.balance()).as("old data, under the lock").isEqualTo(100);
            });
            assertThat(there.balance()).isEqualTo(90);

            inTransaction(one, () -> {
                here.payAndReleaseAfter();
                assertThat(REDIS.server().commands().exists("lock:{balance}")).isOne();
                assertThatThrownBy(there::balance).isInstanceOf(LockNotAcquiredException.class);
            });
            assertThat(REDIS.server().commands().exists("lock:{balance}")).isZero();
            assertThat(there.balance()).isEqualTo(80);
        }));
    }
}
