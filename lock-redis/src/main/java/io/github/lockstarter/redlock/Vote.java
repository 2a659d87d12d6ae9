package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireResult;
import java.util.OptionalLong;

/**
 * The answer of one of several stores to an attempt.
 *
 * @param result its answer
 * @param storeMicros the time on the store's own clock, in microseconds since any fixed instant, read by the same step
 *     that decided the answer; empty where the store did not answer
 */
public record Vote(AcquireResult result, OptionalLong storeMicros) {}
