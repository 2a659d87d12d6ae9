/**
 * Finds, when an application is compiled, locks that no proxy can apply. For the path of annotation processors; uses no
 * other module.
 */
@NullMarked
package io.github.lockstarter.processor;

import org.jspecify.annotations.NullMarked;
