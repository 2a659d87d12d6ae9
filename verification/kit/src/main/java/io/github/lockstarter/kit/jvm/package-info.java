/** Other JVMs, with the class path of this one. */
@NullMarked
package io.github.lockstarter.kit.jvm;

import org.jspecify.annotations.NullMarked;
