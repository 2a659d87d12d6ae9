@NullMarked
package io.github.lockstarter.kit.jvm;

import org.jspecify.annotations.NullMarked;
