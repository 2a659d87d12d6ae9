package io.github.lockstarter.autoconfigure.etcd;

import io.github.lockstarter.etcd.EtcdUnavailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** An etcd that cannot keep locks: says where it is looked for, and what to change. */
final class EtcdUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<EtcdUnavailableException> {

    private static final String ACTION = "Start etcd there, or name the client URLs of its members in"
            + " distributed-lock.etcd.endpoints, and its user in distributed-lock.etcd.user and"
            + " distributed-lock.etcd.password. For https, name the certificates in distributed-lock.etcd.ssl-bundle."
            + " To start anyway and connect later, set distributed-lock.etcd.required-at-start=false";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EtcdUnavailableException cause) {
        return new FailureAnalysis(cause.getMessage(), ACTION, cause);
    }
}
