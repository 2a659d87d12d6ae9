/** A demonstration of the locks: {@link io.github.lockstarter.demo.DemoApp}. */
@NullMarked
package io.github.lockstarter.demo;

import org.jspecify.annotations.NullMarked;
