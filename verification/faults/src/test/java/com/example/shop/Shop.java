package com.example.shop;

import io.github.lockstarter.DistributedLock;

/** The application of docs/testing.md: its locked method is called through {@code this}. */
public class Shop {

    @DistributedLock(name = "order", key = "#orderId")
    public void ship(long orderId) {}

    public void shipAll() {
        ship(42);
    }
}
