/** The fences of an application, if it has a database or Redis. */
@NullMarked
package io.github.lockstarter.autoconfigure.fence;

import org.jspecify.annotations.NullMarked;
