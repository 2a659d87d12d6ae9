package io.github.lockstarter.demo.sale;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Positive;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Simulates a crowd of buyers for a product that is on sale. */
@RestController
@RequestMapping("/sales/{product}/purchases")
class CrowdController {

    private final BuyerCrowd crowd;

    CrowdController(BuyerCrowd crowd) {
        this.crowd = crowd;
    }

    @PostMapping("/burst")
    CrowdResult buyLocked(
            @PathVariable String product, @RequestParam(defaultValue = "100") @Positive @Max(500) int buyers) {
        return crowd.buyLocked(product, buyers);
    }

    @PostMapping("/unlocked/burst")
    CrowdResult buyUnlocked(
            @PathVariable String product, @RequestParam(defaultValue = "100") @Positive @Max(500) int buyers) {
        return crowd.buyUnlocked(product, buyers);
    }
}
