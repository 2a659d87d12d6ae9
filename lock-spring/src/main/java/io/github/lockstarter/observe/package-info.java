/** What listens to locks, and what is put around locks and locked bodies. */
@NullMarked
package io.github.lockstarter.observe;

import org.jspecify.annotations.NullMarked;
