/** Events that an instance reports to its parent process, and a breakpoint that the parent sets. */
@NullMarked
package io.github.lockstarter.demo.experiment.instance;

import org.jspecify.annotations.NullMarked;
