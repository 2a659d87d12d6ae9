package io.github.lockstarter.sample.sale;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;

/**
 * Who wants one.
 *
 * @param buyer at most 100 characters
 */
public record NewPurchase(@NotBlank @Size(max = 100) String buyer) {}
