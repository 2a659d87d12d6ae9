package io.github.lockstarter.jdbc.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.fence.Fences;
import io.github.lockstarter.fence.OvertakenException;
import io.github.lockstarter.fence.testing.Overlapping;
import io.github.lockstarter.kit.Patience;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionTemplate;

/** JPA writes at the end of the transaction, which a fence has entered at its beginning. */
class JpaFencesTests {

    /** The protected data. */
    @Entity(name = "account")
    static class Account {

        @Id
        private long id;

        private int balance;
    }

    private final LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
    private EntityManager entities;
    private TransactionTemplate transaction;
    private Fences fences;

    @BeforeEach
    void open() {
        DriverManagerDataSource database = new DriverManagerDataSource(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=30000");
        new ResourceDatabasePopulator(new ClassPathResource("h2.sql", Fences.class)).execute(database);
        factory.setDataSource(database);
        factory.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName()));
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
        factory.afterPropertiesSet();
        EntityManagerFactory opened = factory.getObject();
        entities = SharedEntityManagerCreator.createSharedEntityManager(opened);
        JpaTransactionManager transactions = new JpaTransactionManager(opened);
        transactions.afterPropertiesSet(); // finds the database
        transaction = new TransactionTemplate(transactions);
        fences = new Fences(database);
        transaction.executeWithoutResult(status -> entities.persist(new Account()));
    }

    @AfterEach
    void close() {
        factory.destroy();
    }

    @Test
    void writesNothingForAHolderThatWasOvertaken() {
        add(2, 10, () -> {});

        assertThatThrownBy(() -> add(1, 100, () -> {})).isInstanceOf(OvertakenException.class);
        assertThat(balance()).isEqualTo(10);
    }

    /** Without a fence the next holder would read 0, and its write or this one would be lost. */
    @Test
    void theNextHolderReadsChangesThatAreFlushedAtTheCommit() {
        AtomicReference<CompletableFuture<Void>> next = new AtomicReference<>();
        add(1, 10, () -> {
            next.set(CompletableFuture.runAsync(() -> add(2, 100, () -> {})));
            assertThatThrownBy(() -> next.get().get(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
        });

        next.get().join();
        assertThat(balance()).isEqualTo(110);
    }

    private void add(long fencingToken, int amount, Runnable beforeTheCommit) {
        Overlapping.hold(
                fencingToken,
                () -> transaction.<Void>execute(status -> {
                    fences.enter();
                    entities.find(Account.class, 0).balance += amount;
                    beforeTheCommit.run();
                    return null;
                }),
                "account");
    }

    private int balance() {
        return transaction.<Integer>execute(status -> entities.find(Account.class, 0).balance);
    }
}
