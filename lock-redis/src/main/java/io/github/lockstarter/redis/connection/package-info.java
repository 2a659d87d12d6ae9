/** Links to servers, routing by key, the mailbox, and detection of unhealthy servers. */
@NullMarked
package io.github.lockstarter.redis.connection;

import org.jspecify.annotations.NullMarked;
