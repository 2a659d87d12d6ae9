@NullMarked
package io.github.lockstarter.demo;

import org.jspecify.annotations.NullMarked;
