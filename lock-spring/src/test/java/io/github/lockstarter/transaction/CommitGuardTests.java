package io.github.lockstarter.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.RevokingOperator;
import io.github.lockstarter.transaction.testing.H2Bank;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** A lock that is lost before the commit, by the way in which the transaction manager came to be a bean. */
@ExtendWith(OutputCaptureExtension.class)
class CommitGuardTests {

    private static final String WARNING = "its commits are not checked for lost locks";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(Database.class)
            .withPropertyValues("distributed-lock.backend=local");

    @Configuration(proxyBeanMethods = false)
    static class Database {
        @Bean
        static EmbeddedDatabase database() {
            return H2Bank.newDatabase();
        }

        @Bean
        static JdbcTemplate jdbc(DataSource database) {
            JdbcTemplate jdbc = new JdbcTemplate(database);
            jdbc.execute("create table booking (id int)");
            return jdbc;
        }
    }

    /** As a manager for tracing or routing: its target is no bean. */
    private record Delegating(PlatformTransactionManager target) implements PlatformTransactionManager {

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return target.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            target.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            target.rollback(status);
        }
    }

    /** Needs the manager before the guard exists. */
    @Configuration(proxyBeanMethods = false)
    static class Early {

        record Auditing(PlatformTransactionManager transactions) implements BeanPostProcessor, PriorityOrdered {

            @Override
            public int getOrder() {
                return Ordered.HIGHEST_PRECEDENCE;
            }
        }

        @Bean
        static DataSourceTransactionManager transactions(DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        static Auditing auditing(PlatformTransactionManager transactions) {
            return new Auditing(transactions);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Late {

        @Bean
        @Lazy
        static DataSourceTransactionManager transactions(DataSource database) {
            return new DataSourceTransactionManager(database);
        }
    }

    /** Replaces the bean after its initialization. */
    @Configuration(proxyBeanMethods = false)
    static class Wrapped {

        @Bean
        static DataSourceTransactionManager transactions(DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        static BeanPostProcessor tracing() {
            return new Tracing();
        }

        private static final class Tracing implements BeanPostProcessor, PriorityOrdered {

            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                return bean instanceof DataSourceTransactionManager target ? new Delegating(target) : bean;
            }

            @Override
            public int getOrder() {
                return Ordered.HIGHEST_PRECEDENCE;
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfNoBean {

        @Bean
        static PlatformTransactionManager transactions(DataSource database) {
            return new Delegating(new DataSourceTransactionManager(database));
        }
    }

    /** An operator revokes the outer lock while its holder writes under both. */
    private static void book(ApplicationContext context) {
        book(context, OnLost.AS_CONFIGURED);
    }

    private static void book(ApplicationContext context, OnLost onLost) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        LockOperations locks = context.getBean(LockOperations.class);
        locks.execute(
                LockRequest.of("booking").onLost(onLost),
                () -> locks.execute(
                        "inner",
                        () -> transaction.executeWithoutResult(status -> {
                            jdbc.update("insert into booking values (1)");
                            RevokingOperator.revoke(context, "booking");
                        })));
    }

    private static int bookings(ApplicationContext context) {
        Integer count =
                context.getBean(JdbcTemplate.class).queryForObject("select count(*) from booking", Integer.class);
        return count == null ? 0 : count;
    }

    private void rollsBack(Class<?> managers, CapturedOutput output) {
        application.withUserConfiguration(managers).run(context -> {
            assertThatThrownBy(() -> book(context)).isInstanceOf(LockLostException.class);
            assertThat(bookings(context)).isZero();
        });
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void rollsBackWithAnEarlyTransactionManager(CapturedOutput output) {
        rollsBack(Early.class, output);
    }

    @Test
    void rollsBackWithALazyTransactionManager(CapturedOutput output) {
        rollsBack(Late.class, output);
    }

    @Test
    void rollsBackWithATransactionManagerThatAPostProcessorWraps(CapturedOutput output) {
        rollsBack(Wrapped.class, output);
    }

    @Test
    void rollsBackWithATransactionManagerOfTheParentContext(CapturedOutput output) {
        new ApplicationContextRunner()
                .withUserConfiguration(Database.class, Early.class)
                .run(parent -> {
                    new ApplicationContextRunner()
                            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                            .withPropertyValues("distributed-lock.backend=local")
                            .withParent(parent)
                            .run(context -> {
                                assertThatThrownBy(() -> book(context)).isInstanceOf(LockLostException.class);
                                assertThat(bookings(context)).isZero();
                            });
                    assertThat(parent.getBean(DataSourceTransactionManager.class)
                                    .getTransactionExecutionListeners())
                            .as("after the end of the child context")
                            .isEmpty();
                });
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void theStartNamesATransactionManagerThatIsNotChecked(CapturedOutput output) {
        application.withUserConfiguration(OfNoBean.class).run(context -> {
            assertThat(output).containsOnlyOnce(WARNING).contains("Transaction manager 'transactions' is a ");
            assertThatThrownBy(() -> book(context)).isInstanceOf(LockLostException.class);
            assertThat(bookings(context)).as("committed after the loss").isOne();
        });
    }

    @Test
    void commitsAfterALossWhenConfiguredToReturn() {
        application
                .withPropertyValues("distributed-lock.on-lost=return")
                .withUserConfiguration(Early.class)
                .run(context -> {
                    book(context);
                    assertThat(bookings(context)).isOne();
                });
    }

    /** The inner lock is held, and is one that rolls back. */
    @Test
    void commitsAfterTheLossOfALockWhoseWorkMayOverlap() {
        application.withUserConfiguration(Early.class).run(context -> {
            book(context, OnLost.RETURN);
            assertThat(bookings(context)).isOne();
        });
    }

    /** It is interrupted while it waits for the operator. */
    @Test
    void rollsBackWorkThatIsInterrupted() {
        application.withUserConfiguration(Early.class).run(context -> {
            assertThatThrownBy(() -> book(context, OnLost.INTERRUPT)).isInstanceOf(LockLostException.class);
            assertThat(bookings(context)).isZero();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void listensOnceToEachTransactionManager() {
        application.withUserConfiguration(Late.class).run(context -> {
            DataSourceTransactionManager manager = context.getBean(DataSourceTransactionManager.class);
            assertThat(manager.getTransactionExecutionListeners()).hasSize(1);
            assertThatCode(() -> context.getBean(CommitGuard.class).afterSingletonsInstantiated())
                    .doesNotThrowAnyException();
            assertThat(manager.getTransactionExecutionListeners()).hasSize(1);
        });
    }
}
