/**
 * The page-view experiment: the same requests without a lock, with {@code synchronized}, with a distributed lock and
 * with Redlock, in real processes.
 */
@NullMarked
package io.github.lockstarter.demo.experiment;

import org.jspecify.annotations.NullMarked;
