package io.github.lockstarter.sample.invoices;

import io.github.lockstarter.sample.orders.Order;
import io.github.lockstarter.sample.orders.OrderService;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Issues invoices. */
@Service
public class InvoiceService {

    private final OrderService orders;
    private final InvoiceNumbers numbers;
    private final JdbcClient jdbc;

    InvoiceService(OrderService orders, InvoiceNumbers numbers, JdbcClient jdbc) {
        this.orders = orders;
        this.numbers = numbers;
        this.jdbc = jdbc;
    }

    /**
     * Issues an invoice. The number is reserved by a lock from the moment it is read until this transaction has
     * completed; if the transaction is rolled back, the next invoice gets the number.
     *
     * @param orderId the order
     * @return the invoice
     * @throws io.github.lockstarter.sample.orders.OrderException.NotFound when there is no such order
     */
    @Transactional
    public Invoice issue(long orderId) {
        Order order = orders.find(orderId);
        Invoice invoice = new Invoice(numbers.next(), order.orderId());
        jdbc.sql("INSERT INTO invoice (number, order_id) VALUES (?, ?)")
                .params(invoice.number(), invoice.orderId())
                .update();
        return invoice;
    }
}
