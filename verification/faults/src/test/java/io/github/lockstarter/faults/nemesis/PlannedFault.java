package io.github.lockstarter.faults.nemesis;

import java.time.Duration;

/**
 * One fault of a schedule.
 *
 * @param fault what goes wrong
 * @param pause time between the end of the fault before it and its begin
 * @param duration how long it lasts
 * @param lot draws the worker or the server that it strikes
 */
public record PlannedFault(Fault fault, Duration pause, Duration duration, int lot) {}
