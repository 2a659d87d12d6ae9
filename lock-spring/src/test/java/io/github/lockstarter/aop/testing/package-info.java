/** Shared tests of annotated methods, which run on each line of Spring Boot. */
@NullMarked
package io.github.lockstarter.aop.testing;

import org.jspecify.annotations.NullMarked;
