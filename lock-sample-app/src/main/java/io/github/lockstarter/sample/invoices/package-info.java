/** Invoice numbers without gaps: the lock is kept until the caller's transaction has completed. */
@NullMarked
package io.github.lockstarter.sample.invoices;

import org.jspecify.annotations.NullMarked;
