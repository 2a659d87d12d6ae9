/** Wires the starter into a Spring Boot application. Imported by nobody. */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
