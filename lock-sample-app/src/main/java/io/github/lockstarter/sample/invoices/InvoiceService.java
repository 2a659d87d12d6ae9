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
     * Issues an invoice. If the transaction is rolled back, the next invoice gets its number.
     *
     * @throws io.github.lockstarter.sample.orders.OrderException.NotFound if the order does not exist
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
