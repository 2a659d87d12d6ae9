/** Keeps the locks of a Spring Boot application in its Redis or in a quorum of Redis servers. */
@NullMarked
package io.github.lockstarter.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
