/** Locks in ZooKeeper, over Curator's framework and without its recipes. No Spring. */
@NullMarked
package io.github.lockstarter.zookeeper;

import org.jspecify.annotations.NullMarked;
