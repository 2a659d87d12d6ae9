package io.github.lockstarter.demo.experiment.pageview;

import java.util.OptionalLong;

/**
 * A critical section that runs: read, work, write.
 *
 * @param id unique in this instance
 * @param variant what keeps others out of it
 * @param page the page that is counted
 * @param fence fencing token of the lock, if there is one
 */
public record Section(long id, Variant variant, String page, OptionalLong fence) {}
