/**
 * What every lock backend and the engine over it must do: suites split by topic, which each backend binds in one line,
 * and the scenarios that need a real server.
 */
@NullMarked
package io.github.lockstarter.contract;

import org.jspecify.annotations.NullMarked;
