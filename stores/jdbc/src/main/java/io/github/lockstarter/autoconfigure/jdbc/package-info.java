/** Keeps the locks of a Spring Boot application in its database. */
@NullMarked
package io.github.lockstarter.autoconfigure.jdbc;

import org.jspecify.annotations.NullMarked;
