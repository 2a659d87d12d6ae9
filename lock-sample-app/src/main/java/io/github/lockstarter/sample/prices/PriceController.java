package io.github.lockstarter.sample.prices;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PriceController {

    private final PriceList prices;

    PriceController(PriceList prices) {
        this.prices = prices;
    }

    @GetMapping("/prices/{item}")
    Price price(@PathVariable String item) {
        return prices.priceOf(item);
    }
}
