/** Child processes and temporary files that never outlive this JVM. */
@NullMarked
package io.github.lockstarter.kit.process;

import org.jspecify.annotations.NullMarked;
