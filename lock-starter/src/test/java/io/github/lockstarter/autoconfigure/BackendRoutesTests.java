package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackendRoutesTests {

    private final BackendRoutes routes = BackendRoutes.of(
            Backend.REDIS,
            Map.of("order", Backend.REDLOCK, "order:draft", Backend.REDIS, "OrderService.ship", Backend.REDLOCK));

    @ParameterizedTest
    @CsvSource({
        "order, REDLOCK",
        "order:42, REDLOCK",
        "order:42:item:7, REDLOCK",
        "order:draft, REDIS",
        "order:draft:1, REDIS",
        "order:drafts, REDLOCK",
        "orders:42, REDIS",
        "OrderService.ship:42, REDLOCK",
        "stock:order:42, REDIS",
        ":, REDIS",
        ":order, REDIS",
    })
    void decideByTheKey(String key, Backend backend) {
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

    @Test
    void knowNoOtherBackendThanTheOneForTests() {
        BackendRoutes local = BackendRoutes.of(Backend.LOCAL, Map.of("order", Backend.REDLOCK));

        assertThat(local.inUse()).containsExactly(Backend.LOCAL);
        assertThat(local.of("order:1")).isEqualTo(Backend.LOCAL);
    }
}
