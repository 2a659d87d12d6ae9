package io.github.lockstarter.fence;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;

/**
 * Adds one to an account under a lock with a lease of one second, and prints the outcome. It stops briefly after
 * printing {@link #STANDING}, so that a test can pause it there.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    DataRedisAutoConfiguration.class,
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    TransactionAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    DistributedLockAutoConfiguration.class,
    RedisLockAutoConfiguration.class,
    FencesAutoConfiguration.class
})
@Import(FencedApplication.Account.class)
class FencedApplication {

    static final String STANDING = "STANDING";
    static final String COMMITTED = "COMMITTED";
    static final String DONE = "DONE";
    static final String REFUSED = "REFUSED ";

    /** Where it stops. */
    enum Place {
        NOWHERE,
        BEFORE_THE_FIRST_STATEMENT,
        BETWEEN_READ_AND_WRITE,
        /** The last check of the lock is over. */
        BEFORE_THE_COMMIT
    }

    /** Runs. */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(FencedApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            context.getBean(Account.class).add();
            System.out.println(DONE);
        } catch (LockLostException lost) {
            System.out.println(REFUSED + lost.getClass().getSimpleName());
        }
    }

    static class Account {

        private static final long LONG_ENOUGH_TO_BE_PAUSED_MS = 2_000;

        private final JdbcTemplate jdbc;
        private final Fences fences;
        private final Place place;
        private final boolean fenced;

        Account(
                JdbcTemplate jdbc,
                Fences fences,
                ConfigurableTransactionManager transactions,
                @Value("${test.place}") Place place,
                @Value("${test.fenced}") boolean fenced) {
            this.jdbc = jdbc;
            this.fences = fences;
            this.place = place;
            this.fenced = fenced;
            transactions.addListener(new BehindTheGuard());
        }

        @DistributedLock(name = "account", maxWaitMs = 60_000)
        @Transactional
        public void add() {
            standAt(Place.BEFORE_THE_FIRST_STATEMENT);
            if (fenced) {
                fences.enter();
            }
            Integer balance = jdbc.queryForObject("SELECT balance FROM account", Integer.class);
            standAt(Place.BETWEEN_READ_AND_WRITE);
            jdbc.update("UPDATE account SET balance = ?", balance + 1);
        }

        private void standAt(Place here) {
            if (here == place) {
                System.out.println(STANDING);
                try {
                    Thread.sleep(LONG_ENOUGH_TO_BE_PAUSED_MS); // the work
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        /** Runs after the last check of the lock. */
        private final class BehindTheGuard implements TransactionExecutionListener {

            @Override
            public void beforeCommit(TransactionExecution transaction) {
                standAt(Place.BEFORE_THE_COMMIT);
            }

            @Override
            public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
                System.out.println(failure == null ? COMMITTED : failure);
            }
        }
    }
}
