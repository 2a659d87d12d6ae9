/** A small order service that uses the lock starter; run {@link io.github.lockstarter.sample.SampleApp}. */
@NullMarked
package io.github.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
