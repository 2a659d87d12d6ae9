/** Jobs that all instances schedule and one instance runs. */
@NullMarked
package io.github.lockstarter.scheduling;

import org.jspecify.annotations.NullMarked;
