/** Wires the starter into a Spring Boot application. No other package imports it. */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
