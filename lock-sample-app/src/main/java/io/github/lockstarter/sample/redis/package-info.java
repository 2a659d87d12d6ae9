/** Which Redis the sample uses: the configured one, or one of its own when nothing listens there. */
@NullMarked
package io.github.lockstarter.sample.redis;

import org.jspecify.annotations.NullMarked;
