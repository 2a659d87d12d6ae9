/** The properties, beans and lifecycle of locks in ZooKeeper. */
@NullMarked
package io.github.lockstarter.autoconfigure.zookeeper;

import org.jspecify.annotations.NullMarked;
