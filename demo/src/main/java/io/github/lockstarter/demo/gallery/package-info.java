/** Broken locks beside the starter under the same steps and faults. */
@NullMarked
package io.github.lockstarter.demo.gallery;

import org.jspecify.annotations.NullMarked;
