package io.github.lockstarter.sample.sale;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;

/**
 * What is put on sale.
 *
 * @param product a name of lower-case letters, digits and dashes
 * @param stock how many there are, 1 to 10,000
 */
public record NewSale(
        @NotNull @Pattern(regexp = SaleController.PRODUCT) String product,
        @Positive @Max(10_000) int stock) {}
