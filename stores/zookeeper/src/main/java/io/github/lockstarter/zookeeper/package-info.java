/** Locks in ZooKeeper, over Curator's framework without its recipes. Without Spring. */
@NullMarked
package io.github.lockstarter.zookeeper;

import org.jspecify.annotations.NullMarked;
