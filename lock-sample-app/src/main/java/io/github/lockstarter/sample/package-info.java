/** A small order service that shows the lock starter at work; run {@link io.github.lockstarter.sample.SampleApp}. */
@NullMarked
package io.github.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
