/** Ports, certificates, and a proxy that drops requests and replies. */
@NullMarked
package io.github.lockstarter.kit.net;

import org.jspecify.annotations.NullMarked;
