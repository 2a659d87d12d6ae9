/** The JVM under test of the fault lab: many threads with many ways to use a lock, and everything written down. */
@NullMarked
package io.github.lockstarter.faults.worker;

import org.jspecify.annotations.NullMarked;
