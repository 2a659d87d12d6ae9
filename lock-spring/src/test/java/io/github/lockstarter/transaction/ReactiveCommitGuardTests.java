package io.github.lockstarter.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.transaction.testing.ReactiveDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The kinds of results that reactive transactions have. */
class ReactiveCommitGuardTests {

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {
        @Bean
        static ReactiveDatabase database() {
            return new ReactiveDatabase();
        }
    }

    interface Handler<R> {
        R handle();
    }

    static class OfMono implements Handler<Mono<Integer>> {
        @Override
        @DistributedLock
        @Transactional
        public Mono<Integer> handle() {
            return Mono.just(1);
        }
    }

    static class OfFlux implements Handler<Flux<Integer>> {
        @Override
        @DistributedLock
        @Transactional
        public Flux<Integer> handle() {
            return Flux.just(1, 2);
        }
    }

    static class WithoutLock implements Handler<Publisher<Integer>> {
        @Override
        @Transactional
        public Publisher<Integer> handle() {
            return Flux.just(1, 2);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfMono.class, OfFlux.class, WithoutLock.class})
    void guardsEachKindOfResult(Class<? extends Handler<?>> type) {
        LockRunner.application()
                .withUserConfiguration(Transactions.class)
                .withBean(type)
                .run(context -> {
                    Object result = context.getBean(Handler.class).handle();
                    Publisher<?> values = ReactiveAdapterRegistry.getSharedInstance()
                            .getAdapter(null, result)
                            .toPublisher(result);
                    assertThat(Flux.from(values).collectList().block(Patience.TIME))
                            .first()
                            .isEqualTo(1);
                    assertThat(context.getBean(ReactiveDatabase.class).ends())
                            .as("with the guard")
                            .containsExactly("commit 1");
                });
    }
}
