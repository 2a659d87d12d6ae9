/** JMH benchmarks without a network. */
@NullMarked
package io.github.lockstarter.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
