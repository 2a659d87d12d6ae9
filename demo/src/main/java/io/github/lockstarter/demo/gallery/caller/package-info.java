/** A process that plays a part in the gallery: it acquires, reads, writes and releases as it is told. */
@NullMarked
package io.github.lockstarter.demo.gallery.caller;

import org.jspecify.annotations.NullMarked;
