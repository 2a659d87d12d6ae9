/**
 * Ships each order once. A lock prevents concurrent shipments; its fencing token protects the store from a paused
 * holder.
 */
@NullMarked
package io.github.lockstarter.sample.orders;

import org.jspecify.annotations.NullMarked;
