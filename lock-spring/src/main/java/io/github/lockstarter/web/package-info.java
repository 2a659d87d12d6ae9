/**
 * Renders lock exceptions as HTTP responses.
 */
@NullMarked
package io.github.lockstarter.web;

import org.jspecify.annotations.NullMarked;
