package io.github.lockstarter.demo.experiment.pageview;

import java.util.OptionalLong;

/**
 * A running critical section: read, work, write.
 *
 * @param id unique in this instance
 * @param fence fencing token, with a lock
 */
public record PageViewSection(long id, Variant variant, String page, OptionalLong fence) {}
