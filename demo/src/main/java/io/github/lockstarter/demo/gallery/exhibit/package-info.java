/** Plays exhibits of the gallery: real processes and servers, and scripts that force the order of steps and faults. */
@NullMarked
package io.github.lockstarter.demo.gallery.exhibit;

import org.jspecify.annotations.NullMarked;
