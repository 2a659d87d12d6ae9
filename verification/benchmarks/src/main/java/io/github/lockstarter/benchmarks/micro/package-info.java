/** What happens inside a JVM, measured with JMH. */
@NullMarked
package io.github.lockstarter.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
