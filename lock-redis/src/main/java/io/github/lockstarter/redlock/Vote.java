package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireResult;
import java.util.OptionalLong;

/**
 * A node's answer to an attempt.
 *
 * @param result its result
 * @param storeMicros the node's clock in microseconds since any fixed instant, read in the step that decided the
 *     result; empty if the node did not answer
 */
public record Vote(AcquireResult result, OptionalLong storeMicros) {}
