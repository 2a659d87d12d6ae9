/** A crowd at the flash sale of the sample application, with its lock and without. */
@NullMarked
package io.github.lockstarter.demo.sale;

import org.jspecify.annotations.NullMarked;
