package io.github.lockstarter.engine;

/**
 * The side of those who wait, for those who end holds.
 *
 * @param queues who waits in this instance
 * @param local what they are to be told
 * @param withdrawer takes back what was asked for on their behalf
 */
record Waiters(KeyQueues queues, WaiterNotifications local, WaitWithdrawer withdrawer) {}
