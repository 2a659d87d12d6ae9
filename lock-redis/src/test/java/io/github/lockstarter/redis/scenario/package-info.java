/** Locks under faults, load and several JVMs: scenarios that need a real server. */
@NullMarked
package io.github.lockstarter.redis.scenario;

import org.jspecify.annotations.NullMarked;
