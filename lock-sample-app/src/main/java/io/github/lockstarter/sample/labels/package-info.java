/** Labels, printed without a thread that waits: a locked method that returns a future. */
@NullMarked
package io.github.lockstarter.sample.labels;

import org.jspecify.annotations.NullMarked;
