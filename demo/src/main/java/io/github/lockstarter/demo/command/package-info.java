/** The experiment and the gallery in the terminal. */
@NullMarked
package io.github.lockstarter.demo.command;

import org.jspecify.annotations.NullMarked;
