/** A Redis for an application that finds none. No part of what is to be copied. */
@NullMarked
package io.github.lockstarter.sample.redis;

import org.jspecify.annotations.NullMarked;
