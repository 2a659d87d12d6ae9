/** What all tests share. */
@NullMarked
package io.github.lockstarter.kit;

import org.jspecify.annotations.NullMarked;
