/**
 * The connections of a store: links to servers, routing by key, the mailbox, and when a connection is given up.
 */
@NullMarked
package io.github.lockstarter.redis.connection;

import org.jspecify.annotations.NullMarked;
