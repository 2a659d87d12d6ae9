/** The lock clients that are measured, each behind {@link io.github.lockstarter.benchmarks.client.LockClient}. */
@NullMarked
package io.github.lockstarter.benchmarks.client;

import org.jspecify.annotations.NullMarked;
