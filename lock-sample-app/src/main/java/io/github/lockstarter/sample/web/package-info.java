/** Errors as problem details: what a client is told about a failed lock, or a request that makes no sense. */
@NullMarked
package io.github.lockstarter.sample.web;

import org.jspecify.annotations.NullMarked;
