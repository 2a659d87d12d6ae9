/** The code of the user's guide (docs/guide), as it stands there, run. */
@NullMarked
package io.github.lockstarter.guide;

import org.jspecify.annotations.NullMarked;
