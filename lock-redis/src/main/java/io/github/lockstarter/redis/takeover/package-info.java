/**
 * Tells Redis that this instance is alive, and has replicas acknowledge the take-over of the locks of others.
 */
@NullMarked
package io.github.lockstarter.redis.takeover;

import org.jspecify.annotations.NullMarked;
