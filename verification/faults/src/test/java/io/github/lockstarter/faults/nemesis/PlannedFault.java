package io.github.lockstarter.faults.nemesis;

import java.time.Duration;

/**
 * One fault of a schedule.
 *
 * @param pause time since the end of the previous fault
 * @param lot chooses the affected worker or server
 */
public record PlannedFault(Fault fault, Duration pause, Duration duration, int lot) {}
