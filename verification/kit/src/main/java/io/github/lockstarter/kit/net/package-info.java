/** Ports, a proxy that loses requests and replies, and certificates. */
@NullMarked
package io.github.lockstarter.kit.net;

import org.jspecify.annotations.NullMarked;
