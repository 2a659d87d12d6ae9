package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.data.annotation.Id;
import org.springframework.data.map.repository.config.EnableMapRepositories;
import org.springframework.data.repository.CrudRepository;

/**
 * The annotation on an interface whose bean is a proxy that a factory makes, as the repositories of Spring Data are.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockedRepositoryTests {

    private final ApplicationContextRunner application = LockRunner.application();

    public interface Stock {
        @DistributedLock(name = "stock", key = "#id")
        List<String> load(long id);

        List<String> peek(long id);
    }

    static class StockInMemory implements Stock {
        @Override
        public List<String> load(long id) {
            return LockHandle.current().map(LockHandle::keys).orElse(List.of());
        }

        @Override
        public List<String> peek(long id) {
            return load(id);
        }
    }

    static class StockFactory implements FactoryBean<Stock> {
        @Override
        public Stock getObject() {
            ProxyFactory proxy = new ProxyFactory(new StockInMemory());
            proxy.setInterfaces(Stock.class);
            return (Stock) proxy.getProxy();
        }

        @Override
        public Class<?> getObjectType() {
            return Stock.class;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.aop.proxy-target-class=true", "spring.aop.proxy-target-class=false"})
    void locksAroundTheProxyOfAFactory(String setting) {
        application.withPropertyValues(setting).withBean(StockFactory.class).run(context -> {
            Stock stock = context.getBean(Stock.class);
            assertThat(stock.load(7)).containsExactly("stock:7");
            assertThat(stock.peek(7)).isEmpty();
        });
    }

    /** A bean that needs a product of a factory. */
    record NeedingStock(Stock stock) {}

    record NeedingHasty(Hasty hasty) {}

    record NeedingPlain(Plain plain) {}

    @Test
    void usesTheLockSettingsOfAnObjectThatAFactoryCreates(CapturedOutput output) {
        application
                .withPropertyValues("distributed-lock.locks.stock.max-wait=0")
                .withBean(StockFactory.class)
                .withBean(NeedingStock.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).doesNotContain("distributed-lock.locks has settings for");
                });
    }

    interface Hasty {
        @DistributedLock(leaseMs = 31_000)
        void load();
    }

    static class HastyFactory implements FactoryBean<Hasty> {
        @Override
        public Hasty getObject() {
            ProxyFactory proxy = new ProxyFactory((Hasty) () -> {});
            return (Hasty) proxy.getProxy();
        }

        @Override
        public Class<?> getObjectType() {
            return Hasty.class;
        }
    }

    @Test
    void startFailsForALeaseAboveTheLongest() {
        FailureReport.assertThat(application.withBean(HastyFactory.class).withBean(NeedingHasty.class))
                .contains("lease of lock 'Hasty.load' is 31s, above distributed-lock.max-lease (30s)");
    }

    interface Plain {
        void run();
    }

    static class LockedInside implements Plain {
        @Override
        @DistributedLock
        public void run() {}
    }

    static class PlainFactory implements FactoryBean<Plain> {
        @Override
        public Plain getObject() {
            ProxyFactory proxy = new ProxyFactory(new LockedInside());
            proxy.setInterfaces(Plain.class);
            return (Plain) proxy.getProxy();
        }

        @Override
        public Class<?> getObjectType() {
            return Plain.class;
        }
    }

    @Test
    void startFailsForAnAnnotationThatTheProxyOfAFactoryHides() {
        FailureReport.assertThat(
                        application.withBean("plain", PlainFactory.class).withBean(NeedingPlain.class))
                .startsWith("Bean 'plain': @DistributedLock on LockedRepositoryTests.LockedInside.run()")
                .contains("created before the lock could be put around it");
    }

    static class PlainMadeOnDemand extends PlainFactory {
        private boolean made;

        @Override
        public Plain getObject() {
            made = true;
            return () -> {};
        }
    }

    /** Takes a bean before any post-processor of the application is in place. */
    private ApplicationContextRunner withEarly(String name) {
        return application.withInitializer(context -> {
            BeanDefinitionRegistryPostProcessor first =
                    registry -> context.getBeanFactory().getBean(name);
            context.addBeanFactoryPostProcessor(first);
        });
    }

    @Test
    void doesNotCreateTheObjectOfALazyFactoryThatIsCreatedEarly() {
        withEarly("&plain")
                .withBean(
                        "plain",
                        PlainMadeOnDemand.class,
                        PlainMadeOnDemand::new,
                        definition -> definition.setLazyInit(true))
                .run(context -> assertThat(context.getBean(PlainMadeOnDemand.class).made)
                        .isFalse());
    }

    @Test
    void startFailsForALockedBeanThatAFactoryCreatedEarly() {
        FailureReport.assertThat(withEarly("stock").withBean("stock", StockFactory.class))
                .startsWith("Bean 'stock': @DistributedLock on ")
                .contains("created before the lock could be put around it");
    }

    public static class Scoped {
        @DistributedLock(name = "scoped")
        public List<String> run() {
            return LockHandle.current().map(LockHandle::keys).orElse(List.of());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedConfiguration {
        @Bean
        @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Scoped scoped() {
            return new Scoped();
        }
    }

    @Test
    void locksABeanBehindAScopedProxy() {
        application
                .withUserConfiguration(ScopedConfiguration.class)
                .run(context -> assertThat(context.getBean(Scoped.class).run()).containsExactly("scoped"));
    }

    public static class Item {
        @Id
        private Long id;

        public Item() {}

        Item(long id) {
            this.id = id;
        }

        public Long getId() {
            return id;
        }

        public void setId(Long id) {
            this.id = id;
        }
    }

    public interface Items extends CrudRepository<Item, Long> {

        @Override
        @DistributedLock(name = "item", key = "#entity.id")
        <S extends Item> S save(S entity);

        @DistributedLock(name = "item", key = "#id")
        default List<String> keysOf(long id) {
            return LockHandle.current().map(LockHandle::keys).orElse(List.of());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMapRepositories(
            considerNestedRepositories = true,
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Items.class))
    static class Repositories {}

    @Test
    void locksARepositoryOfSpringData() {
        application.withUserConfiguration(Repositories.class).run(context -> {
            Items items = context.getBean(Items.class);
            assertThat(items.keysOf(3)).containsExactly("item:3");
            items.save(new Item(5));
            assertThat(items.findById(5L)).isPresent();
            LockOperations locks = context.getBean(LockOperations.class);
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    @Test
    void doesNotSaveWhileAnotherOwnerHoldsTheLock() {
        application
                .withUserConfiguration(Repositories.class)
                .withPropertyValues("distributed-lock.max-wait=0")
                .run(context -> {
                    Items items = context.getBean(Items.class);
                    LockHandle other = context.getBean(LockOperations.class)
                            .acquireAsync("item:5")
                            .join();
                    assertThatThrownBy(() -> items.save(new Item(5))).isInstanceOf(LockNotAcquiredException.class);
                    assertThat(items.findById(5L)).isEmpty();
                    other.release();
                });
    }
}
