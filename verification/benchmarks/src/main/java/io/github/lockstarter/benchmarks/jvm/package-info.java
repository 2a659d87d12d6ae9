@NullMarked
package io.github.lockstarter.benchmarks.jvm;

import org.jspecify.annotations.NullMarked;
