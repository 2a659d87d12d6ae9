package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.EmptyKeys;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods whose key is a list. */
@SuppressWarnings("unused")
class ListOfKeysTests {

    private final ApplicationContextRunner application = LockRunner.application()
            .withUserConfiguration(Background.class)
            .withBean(Orders.class)
            .withPropertyValues("distributed-lock.max-wait=0");

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Background {}

    record Order(Long id) {}

    static class Orders {

        private static List<String> heldKeys() {
            return LockHandle.current().map(LockHandle::keys).orElse(List.of());
        }

        @DistributedLock(name = "order", key = "#ids")
        public List<String> pack(List<Long> ids) {
            return heldKeys();
        }

        @DistributedLock(name = "order", key = "#orders.![id]")
        public List<String> cancel(Order... orders) {
            return heldKeys();
        }

        @DistributedLock(
                name = "order",
                key = {"#first", "#ids"})
        public List<String> move(long first, long[] ids) {
            return heldKeys();
        }

        @DistributedLock(name = "order", key = "#ids", ifContended = IfContended.SKIP)
        public Optional<List<String>> packIfFree(List<Long> ids) {
            return Optional.of(heldKeys());
        }

        @DistributedLock(name = "order", key = "#ids.toString()")
        public void packAsText(List<Long> ids) {}

        @DistributedLock(name = "order", key = "#ids", emptyKeys = EmptyKeys.RUN_UNLOCKED)
        public List<String> packAny(List<Long> ids) {
            return heldKeys();
        }

        @DistributedLock(
                name = "order",
                key = {"#first", "#ids"},
                emptyKeys = EmptyKeys.RUN_UNLOCKED)
        public List<String> moveAny(long first, List<Long> ids) {
            return heldKeys();
        }

        @Async
        @DistributedLock(name = "order", key = "#ids", emptyKeys = EmptyKeys.RUN_UNLOCKED)
        public CompletableFuture<List<String>> packAsync(List<Long> ids) {
            return CompletableFuture.completedFuture(heldKeys());
        }

        @DistributedLock(name = "order", key = "#ids", emptyKeys = EmptyKeys.RUN_UNLOCKED)
        public CompletableFuture<List<String>> packStage(List<Long> ids) {
            return CompletableFuture.completedFuture(heldKeys());
        }

        @DistributedLock(name = "order", key = "#ids", emptyKeys = EmptyKeys.RUN_UNLOCKED)
        public Mono<List<String>> packMono(List<Long> ids) {
            return Mono.just(heldKeys());
        }

        @DistributedLock(name = "order", key = "#ids", emptyKeys = EmptyKeys.RUN_UNLOCKED)
        public Flux<String> packFlux(List<Long> ids) {
            return Flux.fromIterable(heldKeys());
        }
    }

    @Test
    void locksEachElementInSortedOrderOnce() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThat(orders.pack(List.of(7L, 3L, 7L))).containsExactly("order:3", "order:7");
            assertThat(orders.cancel(new Order(7L), new Order(3L))).containsExactly("order:3", "order:7");
            assertThat(orders.move(5, new long[] {7, 3})).containsExactly("order:3", "order:5", "order:7");
            assertThat(orders.pack(List.of(7L))).as("the plain lock").containsExactly("order:7");
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    @Test
    void locksAllOrNone() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            LockHandle other = CompletableFuture.supplyAsync(
                            () -> context.getBean(LockOperations.class).acquire("order:7"))
                    .join();
            assertThatThrownBy(() -> orders.pack(List.of(7L, 3L)))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining("'order:7'");
            assertThat(orders.packIfFree(List.of(7L, 3L))).isEmpty();
            assertThat(LockRunner.held(context).size()).isOne();
            other.release();
            assertThat(orders.packIfFree(List.of(7L, 3L))).contains(List.of("order:3", "order:7"));
        });
    }

    @Test
    void locksEachElementInEveryShape() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            List<Long> ids = List.of(7L, 3L);
            assertThat(orders.packAsync(ids).join()).containsExactly("order:3", "order:7");
            assertThat(orders.packStage(ids).join()).containsExactly("order:3", "order:7");
            assertThat(orders.packMono(ids).block()).containsExactly("order:3", "order:7");
            assertThat(orders.packFlux(ids).collectList().block()).containsExactly("order:3", "order:7");
        });
    }

    @Test
    void refusesAnEmptyList() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.pack(List.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "is an empty list, which locks nothing (emptyKeys = REFUSE). The method did not");
            assertThatThrownBy(() -> orders.move(5, new long[0])).hasMessageContaining("Key expression '#ids'");
        });
    }

    @Test
    void runsUnlockedWithAnEmptyListByChoice() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThat(orders.packAny(List.of())).isEmpty();
            assertThat(orders.packAny(List.of(7L))).containsExactly("order:7");
            assertThat(orders.moveAny(5, List.of())).containsExactly("order:5");
            assertThat(orders.packAsync(List.of()).join()).isEmpty();
            assertThat(orders.packStage(List.of()).join()).isEmpty();
            assertThat(orders.packMono(List.of()).block()).isEmpty();
            assertThat(orders.packFlux(List.of()).collectList().block()).isEmpty();
        });
    }

    @Test
    void refusesAListAsTextAndTooManyElements() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.packAsText(new ArrayList<>(List.of(7L, 3L))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Key expression '#ids.toString()'")
                    .hasMessageContaining("let the list itself be the key");
            assertThatThrownBy(() -> orders.pack(Collections.nCopies(10_001, 1L)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has more than 10000 elements");
            assertThatThrownBy(() -> orders.move(
                            10_001, LongStream.rangeClosed(1, 10_000).toArray()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Lock 'order' has 10001 keys; at most 10000 are allowed");
            assertThatThrownBy(() -> orders.pack(Collections.singletonList(null)))
                    .hasMessageContaining("has an element [0] that is null");
        });
    }

    static class Seats {
        @DistributedLock(name = "seat", key = "#seats", permits = 2)
        public void reserve(List<String> seats) {}
    }

    static class Look {
        @DistributedLock(name = "look", key = "#ids", permits = 2)
        public void look(Object ids) {}
    }

    static class NoKey {
        @DistributedLock(name = "none", emptyKeys = EmptyKeys.RUN_UNLOCKED)
        public void run() {}
    }

    @Test
    void startFailsForPermitsOfAList() {
        FailureReport.assertThat(LockRunner.application().withBean("bean", Seats.class))
                .contains("Seats.reserve(List) cannot take effect: Lock 'seat' has 2 permits and 2 keys.");
    }

    /** Of a value that only the call shows to be a list. */
    @Test
    void aCallWithSeveralElementsIsRefusedWithPermits() {
        LockRunner.application().withBean(Look.class).run(context -> {
            Look look = context.getBean(Look.class);
            look.look(List.of(7));
            look.look(7);
            assertThatThrownBy(() -> look.look(List.of(7, 3)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Lock 'look:3, look:7' has 2 permits and 2 keys");
        });
    }

    @Test
    void startFailsForEmptyKeysWithoutAKey() {
        FailureReport.assertThat(LockRunner.application().withBean("bean", NoKey.class))
                .contains("NoKey.run() cannot take effect: it has emptyKeys = RUN_UNLOCKED and no key, so that it"
                        + " locks its name.");
    }
}
