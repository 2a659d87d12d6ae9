package io.github.lockstarter.redis.failure;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.protocol.RedisProtocolException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

record FailedConnection(String detail, String remedy) {

    /** Lettuce's message for a reply that is not Redis protocol. */
    private static final Pattern FIRST_BYTE = Pattern.compile("Invalid first byte: (\\d+)");

    /**
     * Netty's messages end with {@code localhost/127.0.0.1:6379}, without a name for an address. An address of IPv6
     * does not match: it is written in another way than in the configuration.
     */
    private static final Pattern ADDRESS = Pattern.compile(": ([^/\\s]*)/([^\\s\\[]+)(:\\d+)$");

    /** TLS record types: alert, handshake. */
    private static final String TLS_RECORDS = "21|22";

    /** Lettuce's messages for a connection that is closed before or during login. */
    private static final Set<String> CLOSED =
            Set.of("Connection closed prematurely", "RedisHandshakeHandler not registered");

    static FailedConnection of(Throwable failure, RedisConnector connector, String timeout) {
        Target target = connector.target();
        RedisSetup setup = target.setup();
        Optional<Throwable> distrust =
                find(failure, one -> one instanceof CertificateException || one instanceof CertPathBuilderException);
        if (distrust.isPresent()) {
            return new FailedConnection(
                    "the server's certificate is not accepted: " + said(distrust.get()),
                    "Set " + setup.trust() + ", and connect to a host name that the certificate contains");
        }
        Optional<Throwable> unknown = find(failure, UnknownHostException.class::isInstance);
        if (unknown.isPresent()) {
            return new FailedConnection(
                    "a host name is unknown here: " + ExceptionCauses.said(unknown.get()),
                    "Set " + setup.servers() + " to names that are known here; outside of a container network its"
                            + " names are unknown");
        }
        if (has(failure, NotSslRecordException.class)) {
            return new FailedConnection(
                    "the server there does not speak TLS",
                    "Set " + setup.withoutTls() + ", or " + setup.servers() + " to the port that speaks TLS");
        }
        if (has(failure, RedisProtocolException.class)) {
            return ofProtocol(said(ExceptionCauses.rootOf(failure)), setup);
        }
        if (has(failure, RedisCommandTimeoutException.class)) {
            return ofSilence(target, timeout);
        }
        if (isClosed(failure)) {
            return ofClosing(failure, target);
        }
        if (has(failure, SSLException.class)) {
            return new FailedConnection(
                    "the TLS handshake failed: " + said(ExceptionCauses.rootOf(failure)),
                    "Check the server's certificate and TLS versions, and " + setup.trust());
        }
        return unreachable(failure, connector)
                .map(server -> new FailedConnection(
                        "it names a server at " + server + ", which this machine cannot reach: "
                                + said(ExceptionCauses.rootOf(failure)),
                        "Start that server, or let it announce an address that this machine can reach"
                                + " (cluster-announce-ip, replica-announce-ip)"))
                .orElseGet(() -> new FailedConnection(
                        said(ExceptionCauses.rootOf(failure)),
                        "Start Redis there, or set " + setup.servers() + " to where it runs"));
    }

    /** The address of a server that is not configured, but named by a cluster or by sentinels. */
    private static Optional<String> unreachable(Throwable failure, RedisConnector connector) {
        if (!connector.isCluster() && !connector.isPromotedBySentinels()) {
            return Optional.empty();
        }
        String configured = connector.target().name();
        return ExceptionCauses.reasonsOf(failure)
                .filter(ConnectException.class::isInstance)
                .map(refusal -> ADDRESS.matcher(String.valueOf(refusal.getMessage())))
                .filter(Matcher::find)
                .filter(address -> Stream.of(address.group(1), address.group(2))
                        .noneMatch(host -> !host.isEmpty() && configured.contains(host + address.group(3))))
                .map(address -> address.group(2) + address.group(3))
                .findFirst();
    }

    private static FailedConnection ofProtocol(String said, RedisSetup setup) {
        Matcher first = FIRST_BYTE.matcher(said);
        boolean quoted = first.find();
        if (quoted && first.group(1).matches(TLS_RECORDS)) {
            return new FailedConnection("the port speaks TLS", "Set " + setup.withTls());
        }
        String begin = quoted ? "it begins with '" + (char) Integer.parseInt(first.group(1)) + "'" : said;
        return new FailedConnection(
                "the server there does not speak the protocol of Redis: " + begin,
                "Set " + setup.servers() + " to where Redis runs");
    }

    /** A server without TLS reads the handshake as the start of a command and waits for more. */
    private static FailedConnection ofSilence(Target target, String timeout) {
        RedisSetup setup = target.setup();
        boolean encrypted = target.isEncrypted();
        return new FailedConnection(
                "no answer within " + timeout + (encrypted ? ", with TLS" : ""),
                "Check that Redis runs there and is not stopped, or set " + setup.servers() + " to where it runs"
                        + (encrypted ? "; if the port does not speak TLS, set " + setup.withoutTls() : ""));
    }

    /**
     * A TLS server closes connections that do not start with a handshake, and any server closes them after refusing the
     * login: in about one of 250 attempts Lettuce loses that refusal and reports only the close.
     */
    private static FailedConnection ofClosing(Throwable failure, Target target) {
        RedisSetup setup = target.setup();
        return new FailedConnection(
                "the server closed the connection (" + said(failure) + ")",
                (target.isEncrypted()
                                ? "If the port does not speak TLS, set " + setup.withoutTls()
                                : "If the port speaks TLS, set " + setup.withTls())
                        + "; else check " + setup.login() + " and the server's log; a proxy must know HELLO, CLIENT and"
                        + " SUBSCRIBE (twemproxy does not)");
    }

    private static boolean isClosed(Throwable failure) {
        Throwable root = ExceptionCauses.rootOf(failure);
        String text = String.valueOf(root.getMessage());
        return root instanceof ClosedChannelException
                || CLOSED.stream().anyMatch(text::contains)
                || (root instanceof IOException && text.contains("reset"));
    }

    private static String said(Throwable failure) {
        return ExceptionCauses.said(ExceptionCauses.rootOf(failure));
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> type) {
        return find(failure, type::isInstance).isPresent();
    }

    private static Optional<Throwable> find(Throwable failure, Predicate<Throwable> wanted) {
        return ExceptionCauses.reasonsOf(failure).filter(wanted).findFirst();
    }
}
