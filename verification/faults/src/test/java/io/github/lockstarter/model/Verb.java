package io.github.lockstarter.model;

/** What a client can ask for. */
enum Verb {
    ACQUIRE,
    RENEW,
    RELEASE
}
