package io.github.lockstarter.sample.orders;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;

/**
 * What a customer orders.
 *
 * @param item what; at most 100 characters
 * @param quantity how many, 1 to 1,000
 */
public record NewOrder(
        @NotBlank @Size(max = 100) String item,
        @Positive @Max(1000) int quantity) {}
