/**
 * Waits until replicas have a grant.
 */
@NullMarked
package io.github.lockstarter.redis.replica;

import org.jspecify.annotations.NullMarked;
