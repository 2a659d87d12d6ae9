package io.github.lockstarter.engine.hold;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.backend.LockTokenFactory;
import io.github.lockstarter.engine.backend.RecentRevocations;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.heartbeat.Heartbeats;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.timer.EngineTimer;

/**
 * What the parts of a running engine share.
 *
 * @param backend where the locks are kept
 * @param settings what is configured
 * @param clock the clocks
 * @param events listeners and callbacks
 * @param timer the one timer
 * @param tokens identity of this instance
 * @param heartbeats whether the stores hear this instance
 * @param holds what is held
 * @param heldLocks the same for the application, over the restarts of the engine
 * @param recentRevocations what was taken away, perhaps before it was held
 */
public record EngineContext(
        BackendCalls backend,
        EngineSettings settings,
        EngineClock clock,
        EventDispatcher events,
        EngineTimer timer,
        LockTokenFactory tokens,
        Heartbeats heartbeats,
        Holds holds,
        HeldLocks heldLocks,
        RecentRevocations recentRevocations) {}
