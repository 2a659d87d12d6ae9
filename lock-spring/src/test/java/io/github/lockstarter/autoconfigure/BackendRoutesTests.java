package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.LockRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackendRoutesTests {

    private final BackendRoutes routes = BackendRoutes.of(
            "redis", Map.of("order", "redlock", "order:draft", "redis", "OrderService.ship", "redlock"));

    @ParameterizedTest
    @CsvSource({
        "order, redlock",
        "order:42, redlock",
        "order:42:item:7, redlock",
        "order:draft, redis",
        "order:draft:1, redis",
        "order:drafts, redlock",
        "orders:42, redis",
        "OrderService.ship:42, redlock",
        "stock:order:42, redis",
        ":, redis",
        ":order, redis",
    })
    void decideByTheKey(String key, String backend) {
        assertThat(routes.of(key)).isEqualTo(backend);
    }

    @Test
    void refuseANameThatPromisesAnotherBackendThanTheKey() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> routes.check(
                        LockRequest.ofAll(List.of("order:1", "stock:1")).named("order")))
                .withMessageContaining("Lock 'stock:1' has the name 'order'")
                .withMessageContaining("distributed-lock.locks.order.backend keeps in redlock")
                .withMessageContaining("is kept in redis")
                .withMessageContaining("begin with 'order:'");
    }

    @Test
    void letOtherNamesUseTheKeysOfAName() {
        assertThatCode(() -> {
                    routes.check(LockRequest.of("order:1"));
                    routes.check(LockRequest.of("order:1").named("shipping"));
                    routes.check(LockRequest.of("order:1").named("order"));
                })
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"redis, redis", "'REDIS ', redis", "Red-Lock, redlock", "'', ", "' ', ", ", "})
    void readNamesAsBootReadsConstants(String configured, String name) {
        assertThat(BackendRoutes.nameOf(configured)).isEqualTo(Optional.ofNullable(name));
    }

    @Test
    void knowNoOtherBackendThanTheOneForTests() {
        BackendRoutes local = BackendRoutes.of(LockBackendOption.LOCAL, Map.of("order", "redlock"));

        assertThat(local.inUse()).containsExactly(LockBackendOption.LOCAL);
        assertThat(local.of("order:1")).isEqualTo(LockBackendOption.LOCAL);
    }
}
