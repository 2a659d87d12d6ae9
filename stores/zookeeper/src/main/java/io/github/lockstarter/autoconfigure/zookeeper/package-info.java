/** Auto-configuration of locks in ZooKeeper. */
@NullMarked
package io.github.lockstarter.autoconfigure.zookeeper;

import org.jspecify.annotations.NullMarked;
