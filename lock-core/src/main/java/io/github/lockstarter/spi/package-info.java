/**
 * The port that a lock backend implements: asynchronous, with sealed results in place of exceptions. Types documented
 * as internal to this project's modules are not part of the port and may change with each version.
 */
@NullMarked
package io.github.lockstarter.spi;

import org.jspecify.annotations.NullMarked;
