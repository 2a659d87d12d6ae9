/** Programs of this machine that end with this JVM, however it ends, and their files. */
@NullMarked
package io.github.lockstarter.kit.process;

import org.jspecify.annotations.NullMarked;
