package io.github.lockstarter.sample.sale;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;

/** A request to buy one. */
public record NewPurchase(@NotBlank @Size(max = 100) String buyer) {}
