/** A process that acquires, reads, writes and releases on command. */
@NullMarked
package io.github.lockstarter.demo.gallery.caller;

import org.jspecify.annotations.NullMarked;
