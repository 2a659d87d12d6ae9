package io.github.lockstarter.aop;

import io.github.lockstarter.aop.testing.LockedCallSuite;

class LockedCallTests extends LockedCallSuite {}
