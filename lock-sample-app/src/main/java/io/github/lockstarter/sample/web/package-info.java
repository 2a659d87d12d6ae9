/** Error responses as problem details. */
@NullMarked
package io.github.lockstarter.sample.web;

import org.jspecify.annotations.NullMarked;
