/** The servers under test of the fault lab. */
@NullMarked
package io.github.lockstarter.faults.topology;

import org.jspecify.annotations.NullMarked;
