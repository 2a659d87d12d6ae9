package io.github.lockstarter.demo.gallery.caller;

import java.util.List;

/**
 * Settings of a caller, sent as JSON in one line.
 *
 * @param lockPorts servers of a broken lock
 * @param storePort server of the counter
 * @param properties of the starter, such as {@code distributed-lock.max-lease=2s}
 */
public record CallerSetting(LockKind lock, List<Integer> lockPorts, int storePort, List<String> properties) {}
