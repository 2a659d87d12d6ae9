/**
 * Opens connections to each topology, and finds the master among several servers.
 */
@NullMarked
package io.github.lockstarter.redis.connector;

import org.jspecify.annotations.NullMarked;
