/** The gallery of broken locks: what breaks each of them, and what ours does under the same steps and faults. */
@NullMarked
package io.github.lockstarter.demo.gallery;

import org.jspecify.annotations.NullMarked;
