/** The etcd store on a real server. */
package io.github.lockstarter.etcd;
