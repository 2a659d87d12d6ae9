/**
 * The engine: grants locks that a {@link io.github.lockstarter.spi.LockBackend} keeps. Follow one call:
 *
 * <ol>
 *   <li>{@link io.github.lockstarter.engine.LockEngine} is the entry; {@code EngineRuntime} wires the parts between
 *       start and stop.
 *   <li>{@code Acquirer} enters a hold of the same thread again, or waits for the outcome of an {@code Acquisition} and
 *       takes the hold.
 *   <li>{@code queue} decides which caller of this JVM is next; {@code AttemptRunner} carries the decisions out: it
 *       sends attempts and turns grants into holds.
 *   <li>{@code hold} is what is held; {@code renewal} renews it; {@code release} hands it over or releases it.
 * </ol>
 *
 * <p>{@code backend}, {@code event}, {@code timer}, {@code thread} and {@code settings} serve all of them. The packages
 * have no cycle; from outside only {@code LockEngine} and {@code settings} are used.
 */
@NullMarked
package io.github.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
