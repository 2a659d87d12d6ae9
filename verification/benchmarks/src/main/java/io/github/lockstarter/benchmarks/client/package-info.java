@NullMarked
package io.github.lockstarter.benchmarks.client;

import org.jspecify.annotations.NullMarked;
