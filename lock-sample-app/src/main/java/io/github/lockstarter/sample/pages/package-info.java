/** A page-view counter that loses updates without a lock and none with it. */
@NullMarked
package io.github.lockstarter.sample.pages;

import org.jspecify.annotations.NullMarked;
