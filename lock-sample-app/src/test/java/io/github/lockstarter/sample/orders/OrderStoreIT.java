package io.github.lockstarter.sample.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.sample.RunningSample;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class OrderStoreIT extends RunningSample {

    private static final long OLDER = 1_700_000_000_000_001L;
    private static final long NEWER = 1_700_000_000_000_002L;

    @Autowired
    private OrderStore store;

    @Test
    void shipsUnderTheTokenThatOpenedTheOrder() {
        long orderId = placed();
        store.open(orderId, OLDER);

        store.ship(orderId, new Shipment("A", OLDER));

        assertThat(store.find(orderId).orElseThrow().shipment()).contains(new Shipment("A", OLDER));
    }

    @Test
    void refusesAWriteOnceANewerHolderHasOpenedTheOrder() {
        long orderId = placed();
        store.open(orderId, OLDER);
        store.open(orderId, NEWER);

        assertThatThrownBy(() -> store.ship(orderId, new Shipment("LATE", OLDER)))
                .isInstanceOf(OrderException.Overtaken.class)
                .hasMessageContaining("fencing token " + OLDER);

        assertThat(store.find(orderId).orElseThrow().shipment()).isEmpty();
    }

    @Test
    void refusesToOpenForAnOlderHolder() {
        long orderId = placed();
        store.open(orderId, NEWER);

        assertThatThrownBy(() -> store.open(orderId, OLDER)).isInstanceOf(OrderException.Overtaken.class);
    }

    @Test
    void createsNothingForAnUnknownOrder() {
        long unknown = store.lastOrderId() + 1_000;

        assertThatThrownBy(() -> store.open(unknown, NEWER)).isInstanceOf(OrderException.NotFound.class);
        assertThatThrownBy(() -> store.ship(unknown, new Shipment("X", NEWER)))
                .isInstanceOf(OrderException.NotFound.class);

        assertThat(store.find(unknown)).isEmpty();
    }

    private long placed() {
        return store.add(new NewOrder("lamp", 1)).orderId();
    }
}
