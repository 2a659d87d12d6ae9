package io.github.lockstarter.boot3;

import io.github.lockstarter.aop.testing.LockedCallSuite;

/** The calls that are locked with Spring 6.2. */
class Boot3LockedCallIT extends LockedCallSuite {}
