package io.github.lockstarter.sample.orders;

import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.util.List;

/** A request to ship several orders in one parcel. */
public record Parcel(@NotEmpty @Size(max = 100) List<@Positive Long> orderIds) {}
