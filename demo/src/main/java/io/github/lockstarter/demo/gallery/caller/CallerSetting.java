package io.github.lockstarter.demo.gallery.caller;

import java.util.List;

/**
 * What a caller works with. It goes to the caller as JSON in one line.
 *
 * @param lock which lock
 * @param lockPorts servers of a broken lock
 * @param storePort server of the counter
 * @param properties of the starter, such as {@code distributed-lock.max-lease=2s}
 */
public record CallerSetting(LockKind lock, List<Integer> lockPorts, int storePort, List<String> properties) {}
