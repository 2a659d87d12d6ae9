/** Child processes, and closing them together. */
@NullMarked
package io.github.lockstarter.demo.process;

import org.jspecify.annotations.NullMarked;
