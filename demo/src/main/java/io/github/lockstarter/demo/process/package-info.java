/** Programs of this application that run as child processes, and what is closed together with them. */
@NullMarked
package io.github.lockstarter.demo.process;

import org.jspecify.annotations.NullMarked;
