package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** The application's own listeners, and the published events. */
@ExtendWith(OutputCaptureExtension.class)
class LockListenersTests {

    private static final List<String> received = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void aBlockingListenerDelaysNobody() {
        CountDownLatch never = new CountDownLatch(1);
        List<Long> others = new CopyOnWriteArrayList<>();
        runner.withBean("blocking", LockListener.class, () -> onAcquired(event -> awaitUninterruptibly(never)))
                .withBean("other", LockListener.class, () -> onAcquired(event -> others.add(event.fencingToken())))
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);

                    for (int i = 0; i < 50; i++) {
                        locks.acquire("order:42").release();
                    }

                    await().untilAsserted(() -> assertThat(others).hasSize(50).isSorted());
                    never.countDown();
                });
    }

    @Test
    void aListenerThatThrowsAffectsNoCaller(CapturedOutput output) {
        List<Long> others = new CopyOnWriteArrayList<>();
        LockListener throwing = onAcquired(event -> {
            throw new IllegalStateException("broken listener");
        });
        runner.withBean("throwing", LockListener.class, () -> throwing)
                .withBean("other", LockListener.class, () -> onAcquired(event -> others.add(event.fencingToken())))
                .run(context -> {
                    context.getBean(LockOperations.class).acquire("order:42").release();
                    context.getBean(LockOperations.class).acquire("order:42").release();

                    await().untilAsserted(() -> assertThat(others).hasSize(2));
                    await().untilAsserted(() -> assertThat(output.getAll()).contains("broken listener"));
                });
    }

    @Test
    void dropsAndCountsEventsOfASlowListener(CapturedOutput output) {
        CountDownLatch released = new CountDownLatch(1);
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        runner.withBean("slow", LockListener.class, () -> event -> {
                    awaitUninterruptibly(released);
                    events.add(event);
                })
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    locks.acquire("first").release();
                    await().until(() -> Thread.getAllStackTraces().keySet().stream()
                            .anyMatch(thread -> thread.getName().startsWith("lock-listener-")));
                    for (int i = 0; i < LockListener.MOST_PENDING; i++) {
                        locks.acquire("order:42").release();
                    }
                    released.countDown();

                    await().untilAsserted(() -> assertThat(output.getAll()).contains("has caught up;"));
                    assertThat(events.size()).isBetween(LockListener.MOST_PENDING, LockListener.MOST_PENDING + 2);
                    assertThat(output.getAll()).containsOnlyOnce("events are dropped until it has caught up");
                });
    }

    @Test
    void aListenerDeclaredAsFastIsCalledInOrderOnTheThreadOfTheLock() {
        received.clear();
        runner.withUserConfiguration(Ordered.class).run(context -> {
            context.getBean(LockOperations.class).acquire("order:42").release();

            String thread = Thread.currentThread().getName();
            assertThat(received).containsExactly("first on " + thread, "second on " + thread);
        });
    }

    /** As for a listener with {@code @Transactional} methods. */
    @Test
    void theAdviceOfAListenerBeanApplies() {
        List<String> advised = new CopyOnWriteArrayList<>();
        runner.withBean(LockListener.class, () -> {
                    ProxyFactory proxy = new ProxyFactory(onAcquired(event -> received.add(event.key())));
                    proxy.addAdvice((MethodInterceptor) call -> {
                        advised.add(call.getMethod().getName());
                        return call.proceed();
                    });
                    return (LockListener) proxy.getProxy();
                })
                .run(context -> {
                    context.getBean(LockOperations.class)
                            .acquire("order:proxied")
                            .release();
                    await().untilAsserted(() -> assertThat(received).contains("order:proxied"));
                });

        assertThat(advised).contains("onEvent");
    }

    @Test
    void listenersReceiveTheEventsOfTheShutdown() {
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        runner.withBean("own", LockListener.class, () -> events::add).run(context -> {
            context.getBean(LockOperations.class).acquire("order:42");
            context.getBean(LockEngine.class).stop();
            await().until(() -> events.stream().anyMatch(LockEvent.Lost.class::isInstance));
        });

        assertThat(events)
                .filteredOn(LockEvent.Lost.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(
                        LockEvent.Lost.class, lost -> assertThat(lost.cause()).isEqualTo(LossCause.SHUTDOWN));
    }

    @Test
    void publishesLossesAndTimedOutWaitsAsSpringEvents() {
        List<Object> published = new CopyOnWriteArrayList<>();
        runner.withInitializer(context -> context.addApplicationListener(event -> {
                    if (event instanceof PayloadApplicationEvent<?> payload) {
                        published.add(payload.getPayload());
                    }
                }))
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    LockHandle held = locks.acquire("order:42");
                    CompletableFuture<LockHandle> waiting =
                            locks.acquireAsync(LockRequest.of("order:42").maxWait(Duration.ofMillis(50)));
                    assertThat(waiting).failsWithin(Patience.TIME);
                    assertThat(locks.acquireAsync(LockRequest.of("order:42").withoutWaiting()))
                            .failsWithin(Patience.TIME);
                    context.getBean(LockAdmin.class)
                            .revoke("order:42", held.fencingToken())
                            .join();

                    await().untilAsserted(() -> assertThat(published).hasSize(2));
                    assertThat(published.get(0))
                            .isInstanceOfSatisfying(LockEvent.NotAcquired.class, event -> assertThat(event.refusal())
                                    .isEqualTo(Refusal.CONTENDED));
                    assertThat(published.get(1))
                            .isInstanceOfSatisfying(LockEvent.Lost.class, event -> assertThat(event.cause())
                                    .isEqualTo(LossCause.REVOKED));
                });
    }

    private static LockListener onAcquired(Consumer<LockEvent.Acquired> action) {
        return event -> {
            if (event instanceof LockEvent.Acquired acquired) {
                action.accept(acquired);
            }
        };
    }

    static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Ordered {

        @Bean
        @Order(2)
        LockListener later() {
            return direct("second");
        }

        @Bean
        @Order(1)
        LockListener sooner() {
            return direct("first");
        }

        private static LockListener direct(String name) {
            return new LockListener() {
                @Override
                public boolean returnsAtOnce() {
                    return true;
                }

                @Override
                public void onEvent(LockEvent event) {
                    if (event instanceof LockEvent.Acquired) {
                        received.add(name + " on " + Thread.currentThread().getName());
                    }
                }
            };
        }
    }
}
