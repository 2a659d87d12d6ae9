package io.github.lockstarter.sample.orders;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Positive;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {

    private final OrderService orders;
    private final LabelPrinter labels;

    OrderController(OrderService orders, LabelPrinter labels) {
        this.orders = orders;
        this.labels = labels;
    }

    @PostMapping
    ResponseEntity<Order> place(@Valid @RequestBody NewOrder order) {
        Order placed = orders.place(order);
        return ResponseEntity.created(URI.create("/orders/" + placed.orderId())).body(placed);
    }

    @GetMapping("/{orderId}")
    Order find(@PathVariable @Positive long orderId) {
        return orders.find(orderId);
    }

    @PostMapping("/{orderId}/shipment")
    Order ship(@PathVariable @Positive long orderId) {
        return orders.ship(orderId);
    }

    @PostMapping("/shipment")
    List<Order> shipTogether(@Valid @RequestBody Parcel parcel) {
        return orders.shipTogether(parcel.orderIds());
    }

    @PostMapping("/{orderId}/label")
    CompletableFuture<Label> printLabel(@PathVariable @Positive long orderId) {
        return labels.print(orderId);
    }

    @ExceptionHandler
    ProblemDetail refused(OrderException failure) {
        HttpStatus status = failure instanceof OrderException.NotFound ? HttpStatus.NOT_FOUND : HttpStatus.CONFLICT;
        return ProblemDetail.forStatusAndDetail(status, failure.getMessage());
    }
}
