package io.github.lockstarter.sample.sale;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/sales")
class SaleController {

    static final String PRODUCT = "[a-z0-9-]{1,64}";

    private final SaleService sales;

    SaleController(SaleService sales) {
        this.sales = sales;
    }

    @PostMapping
    ResponseEntity<Sale> offer(@Valid @RequestBody NewSale sale) {
        Sale offered = sales.offer(sale);
        return ResponseEntity.created(URI.create("/sales/" + offered.product())).body(offered);
    }

    @GetMapping("/{product}")
    Sale find(@PathVariable @Pattern(regexp = PRODUCT) String product) {
        return sales.find(product);
    }

    @PostMapping("/{product}/purchases")
    @ResponseStatus(HttpStatus.CREATED)
    Purchase buy(@PathVariable @Pattern(regexp = PRODUCT) String product, @Valid @RequestBody NewPurchase purchase) {
        return sales.buy(product, purchase.buyer());
    }

    @ExceptionHandler
    ProblemDetail refused(SaleException failure) {
        HttpStatus status = failure instanceof SaleException.NotOnSale ? HttpStatus.NOT_FOUND : HttpStatus.CONFLICT;
        return ProblemDetail.forStatusAndDetail(status, failure.getMessage());
    }
}
