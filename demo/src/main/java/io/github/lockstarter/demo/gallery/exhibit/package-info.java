/** Plays exhibits: real processes and servers, and scripts that determine the order of steps and faults. */
@NullMarked
package io.github.lockstarter.demo.gallery.exhibit;

import org.jspecify.annotations.NullMarked;
