@NullMarked
package io.github.lockstarter.demo.command;

import org.jspecify.annotations.NullMarked;
