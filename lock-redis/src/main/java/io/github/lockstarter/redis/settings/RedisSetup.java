package io.github.lockstarter.redis.settings;

/**
 * Property names and remedies in messages, which differ between setups.
 *
 * @param servers property with the addresses
 * @param master property with the master's address
 * @param login properties with the credentials
 * @param database property
 * @param timeout property
 * @param cluster remedy if a server is a cluster node
 * @param withTls remedy that turns TLS on
 * @param withoutTls remedy that turns TLS off
 * @param trust property with the trusted certificates
 * @param oneMaster remedy if a server is one of several masters that replicate each other
 */
public record RedisSetup(
        String servers,
        String master,
        String login,
        String database,
        String timeout,
        String cluster,
        String withTls,
        String withoutTls,
        String trust,
        String oneMaster) {

    /** The application's Redis. */
    public static final RedisSetup APPLICATION = new RedisSetup(
            "spring.data.redis.host and spring.data.redis.port, or spring.data.redis.url,"
                    + " or the nodes of spring.data.redis.sentinel, .cluster or .masterreplica,",
            "spring.data.redis.host",
            "spring.data.redis.username and spring.data.redis.password",
            "spring.data.redis.database",
            "distributed-lock.redis.command-timeout",
            "set spring.data.redis.cluster.nodes",
            "spring.data.redis.ssl.enabled=true, or a bundle in spring.data.redis.ssl.bundle",
            "spring.data.redis.ssl.enabled=false",
            "spring.data.redis.ssl.bundle to a bundle that trusts it, such as one with"
                    + " spring.ssl.bundle.pem.<bundle>.truststore.certificate",
            "Keep locks in a database without Active-Active or active-replica, or set"
                    + " distributed-lock.redis.active-active=false if all instances use this master, and none fails"
                    + " over to another");
}
