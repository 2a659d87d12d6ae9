/** Lock listeners and decorators. */
@NullMarked
package io.github.lockstarter.observe;

import org.jspecify.annotations.NullMarked;
