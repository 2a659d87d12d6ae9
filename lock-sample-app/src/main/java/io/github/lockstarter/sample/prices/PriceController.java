package io.github.lockstarter.sample.prices;

import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/prices")
class PriceController {

    private final PriceList prices;
    private final PriceTable table;

    PriceController(PriceList prices, PriceTable table) {
        this.prices = prices;
        this.table = table;
    }

    @GetMapping("/{item}")
    Price price(@PathVariable String item) {
        return prices.priceOf(item);
    }

    @GetMapping
    Map<String, Integer> prices() {
        return table.prices();
    }

    @PostMapping
    Map<String, Integer> replace(@RequestBody Map<String, Integer> replacement) {
        return table.replace(replacement);
    }
}
