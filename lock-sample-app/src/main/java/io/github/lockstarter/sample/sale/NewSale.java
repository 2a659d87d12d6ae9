package io.github.lockstarter.sample.sale;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;

/** A request to put a product on sale. */
public record NewSale(
        @NotNull @Pattern(regexp = SaleController.PRODUCT) String product,
        @Positive @Max(10_000) int stock) {}
