package io.github.lockstarter.sample.orders;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;

/** A request to place an order. */
public record NewOrder(
        @NotBlank @Size(max = 100) String item,
        @Positive @Max(1000) int quantity) {}
