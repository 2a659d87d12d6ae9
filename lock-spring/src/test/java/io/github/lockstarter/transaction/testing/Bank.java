package io.github.lockstarter.transaction.testing;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An account with a balance of 100, and bookings, none yet: new tables in a {@link DataSource} that the test declares
 * as bean {@code database}. Whether {@code @Transactional} has an effect is left to the test.
 */
@Configuration(proxyBeanMethods = false)
public class Bank {

    @Bean
    @Primary
    DataSourceTransactionManager transactions(DataSource database) {
        return new DataSourceTransactionManager(database);
    }

    @Bean
    JdbcTemplate jdbc(DataSource database) {
        JdbcTemplate jdbc = new JdbcTemplate(database);
        jdbc.execute("drop table if exists account");
        jdbc.execute("drop table if exists booking");
        jdbc.execute("create table account (balance int)");
        jdbc.execute("create table booking (id int)");
        jdbc.execute("insert into account values (100)");
        return jdbc;
    }

    public static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    public static void inTransaction(ApplicationContext context, Consumer<TransactionStatus> calls) {
        transaction(context).executeWithoutResult(calls);
    }

    /** The balance that other transactions see. */
    public static int committedBalance(ApplicationContext context) {
        return CompletableFuture.supplyAsync(() -> Account.balance(context.getBean(JdbcTemplate.class)))
                .join();
    }
}
