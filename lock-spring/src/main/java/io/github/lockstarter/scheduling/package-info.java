/** The annotation for jobs that every instance of an application starts, and one runs. */
@NullMarked
package io.github.lockstarter.scheduling;

import org.jspecify.annotations.NullMarked;
