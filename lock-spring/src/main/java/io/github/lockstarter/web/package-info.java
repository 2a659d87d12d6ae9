/** HTTP responses for lock exceptions. */
@NullMarked
package io.github.lockstarter.web;

import org.jspecify.annotations.NullMarked;
