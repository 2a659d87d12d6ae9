/** Tests of fences on each database. */
package io.github.lockstarter.fence.testing;
