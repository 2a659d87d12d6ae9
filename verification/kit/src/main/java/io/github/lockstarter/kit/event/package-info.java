@NullMarked
package io.github.lockstarter.kit.event;

import org.jspecify.annotations.NullMarked;
