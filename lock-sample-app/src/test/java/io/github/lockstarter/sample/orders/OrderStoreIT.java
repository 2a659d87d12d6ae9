package io.github.lockstarter.sample.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.fence.OvertakenException;
import io.github.lockstarter.sample.RunningSample;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class OrderStoreIT extends RunningSample {

    private static final String LOCK = "order-store-it";

    @Autowired
    private OrderStore store;

    @Test
    void shipsAnOpenedOrder() {
        long orderId = placed();
        Shipment shipment = new Shipment("A", 1);

        locks.execute(LOCK, () -> {
            store.open(orderId);
            store.ship(orderId, shipment);
        });

        assertThat(store.find(orderId).orElseThrow().shipment()).contains(shipment);
    }

    @Test
    void refusesTheWriteOfAHolderAfterALaterOne() {
        long orderId = placed();

        assertThatThrownBy(() -> locks.execute(LOCK, () -> {
                    store.open(orderId);
                    LockHandle.current().orElseThrow().release(); // as the end of the lease does
                    CompletableFuture.runAsync(() -> locks.execute(LOCK, () -> store.open(orderId)))
                            .join();
                    store.ship(orderId, new Shipment("LATE", 2));
                }))
                .isInstanceOf(OvertakenException.class)
                .hasMessageStartingWith("Lost lock '" + LOCK + "'");

        assertThat(store.find(orderId).orElseThrow().shipment()).isEmpty();
    }

    @Test
    void findsNoUnknownOrder() {
        long unknown = store.lastOrderId() + 1_000;

        assertThatThrownBy(() -> locks.execute(LOCK, () -> store.open(unknown)))
                .isInstanceOf(OrderException.NotFound.class);
        assertThat(store.find(unknown)).isEmpty();
    }

    private long placed() {
        return store.add(new NewOrder("lamp", 1)).orderId();
    }
}
