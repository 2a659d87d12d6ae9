/** Leader election on the stores of other modules. */
package io.github.lockstarter.leader;
