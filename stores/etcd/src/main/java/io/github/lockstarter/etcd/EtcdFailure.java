package io.github.lockstarter.etcd;

import io.github.lockstarter.spi.BackendGuard;
import io.grpc.Status;
import java.io.IOException;

/** A failed request. */
record EtcdFailure(Kind kind, String reason, Throwable cause) {

    private static final String BY_SERVER = "etcdserver:";

    private static final String REMEDY_WHEN_FULL =
            ". Its quota is used up. Compact and defragment it, and end the alarm"
                    + " (etcdctl compact, etcdctl defrag, etcdctl alarm disarm); run it with "
                    + "--auto-compaction-mode=periodic --auto-compaction-retention=5m";

    enum Kind {
        /** No response: possibly executed. */
        UNREACHABLE,
        /** The cluster had no leader or lost it: possibly executed. */
        NO_LEADER,
        /** Another failure of server or client: possibly executed. */
        UNCLEAR,
        /** Executed; the lease does not exist. */
        NO_LEASE,
        /** Not executed. */
        REFUSED
    }

    static EtcdFailure of(Throwable failure, String target) {
        Throwable cause = BackendGuard.causeOf(failure);
        Status status = Status.fromThrowable(cause);
        Kind kind = kindOf(status);
        String described = status.getDescription() == null ? "" : ": " + status.getDescription();
        String reason = kind == Kind.UNREACHABLE
                ? target + " did not answer (" + status.getCode() + described + ')'
                : target + " failed with " + status.getCode() + described
                        + (described.contains("database space exceeded") ? REMEDY_WHEN_FULL : "");
        return new EtcdFailure(kind, reason, cause);
    }

    private static Kind kindOf(Status status) {
        String description = status.getDescription() == null ? "" : status.getDescription();
        return switch (status.getCode()) {
            case UNAVAILABLE -> description.startsWith(BY_SERVER) ? Kind.NO_LEADER : Kind.UNREACHABLE;
            case DEADLINE_EXCEEDED, CANCELLED -> Kind.UNREACHABLE;
            case UNKNOWN -> status.getCause() instanceof IOException ? Kind.UNREACHABLE : Kind.UNCLEAR; // of this side
            case NOT_FOUND -> Kind.NO_LEASE;
            case INVALID_ARGUMENT,
                    FAILED_PRECONDITION,
                    PERMISSION_DENIED,
                    UNAUTHENTICATED,
                    RESOURCE_EXHAUSTED,
                    OUT_OF_RANGE,
                    UNIMPLEMENTED -> Kind.REFUSED;
            default -> Kind.UNCLEAR;
        };
    }

    boolean isCertain() {
        return kind == Kind.REFUSED || kind == Kind.NO_LEASE;
    }

    static boolean isUnreachable(Throwable failure) {
        return kindOf(Status.fromThrowable(failure)) == Kind.UNREACHABLE;
    }

    /** Whether another member may answer: this one did not respond or has no leader. */
    static boolean isOfMember(Throwable failure) {
        Kind kind = kindOf(Status.fromThrowable(failure));
        return kind == Kind.UNREACHABLE || kind == Kind.NO_LEADER;
    }

    static boolean isInvalidToken(Throwable failure) {
        Status status = Status.fromThrowable(failure);
        String description = status.getDescription() == null ? "" : status.getDescription();
        return description.contains("invalid auth token") || description.contains("revision of auth store is old");
    }
}
