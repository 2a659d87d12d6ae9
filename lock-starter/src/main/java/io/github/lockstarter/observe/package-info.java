/** The locks of this instance as Micrometer meters. */
@NullMarked
package io.github.lockstarter.observe;

import org.jspecify.annotations.NullMarked;
