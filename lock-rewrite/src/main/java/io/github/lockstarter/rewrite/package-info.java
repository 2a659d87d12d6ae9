/** OpenRewrite recipes that move the locks of an application from another library to this one, all or none. */
@NullMarked
package io.github.lockstarter.rewrite;

import org.jspecify.annotations.NullMarked;
